#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pages_test.py MANDOC API_PAGE AUDIT_PAGE - examples in the manual arrive on the screen as they are.

A quote on the line of a macro is eaten, and a backslash begins an escape: neither is an error to a
linter, and what is read is no JSON any more.
"""
import json
import re
import subprocess
import sys

MANDOC, API, AUDIT = sys.argv[1:]


def shown(page: str) -> str:
    text = subprocess.run([MANDOC, "-Tascii", "-Owidth=400", page], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return re.sub(".\b", "", text)


def main() -> int:
    examples = re.findall(r"Example: (.*)$", shown(API), re.MULTILINE)
    bad = []
    for example in examples:
        try:
            json.loads(example)
        except ValueError:
            bad.append(example)
    print("1..3")
    print("ok 1" if len(examples) > 20 else "not ok 1", f"- {len(examples)} examples in the API's page")
    print("not ok 2" if bad else "ok 2", "- each is JSON", *bad[:5])
    print("ok 3" if '{"index": N, "leaf_hash": ...' in shown(AUDIT) else "not ok 3", "- a record's form")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
