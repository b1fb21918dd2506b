# SPDX-License-Identifier: Apache-2.0
"""needed.py BUILD SUITE...: the targets of ninja that the tests of these suites need."""
import json
import os
import subprocess
import sys


def told(what):
    return json.loads(subprocess.check_output(["meson", "introspect", build, what]))


build, suites = os.path.realpath(sys.argv[1]), set(sys.argv[2:])
needed = set()
for test in told("--tests"):
    if suites & {suite.split(":")[-1] for suite in test["suite"]}:
        needed.update(test["depends"])
files = {name for t in told("--targets") if t["id"] in needed for name in t["filename"]}
if not files:
    sys.exit(f"needed.py: no test of {build} is in {' or '.join(sorted(suites))}")
print(" ".join(sorted(os.path.relpath(name, build) for name in files)))
