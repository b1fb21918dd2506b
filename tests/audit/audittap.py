# SPDX-License-Identifier: Apache-2.0
"""audittap.py - tests of the log are functions, told in TAP."""
import sys


class Skip(Exception):
    """It cannot be tried here."""


def run(cases):
    """Pairs of a name and what is called; 1 if anything failed."""
    failed = 0
    print(f"1..{len(cases)}", flush=True)
    for number, (name, test) in enumerate(cases, 1):
        name = name.replace("_", " ")
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except Skip as why:
            print(f"ok {number} - {name} # SKIP {why}", flush=True)
        except Exception as why:  # what is no JSON is a failure like any other
            failed += 1
            line = why.__traceback__
            while line.tb_next:
                line = line.tb_next
            text = str(why).replace("\n", " ")
            print(f"not ok {number} - {name}")
            print(f"# {type(why).__name__} at {line.tb_lineno}: {text[:2000]}", flush=True)
    return 1 if failed else 0


def run_wanted(tests, word_at):
    """Those whose name has the word that may stand there on the command line."""
    word = sys.argv[word_at] if len(sys.argv) > word_at else ""
    return run([(test.__name__, test) for test in tests if word in test.__name__])
