# SPDX-License-Identifier: Apache-2.0
"""sentences.py - tests whose names are sentences, told in TAP."""


class Skip(Exception):
    """Cannot be seen here; why."""


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def tell(tests):
    """Returns whether one failed."""
    print(f"1..{len(tests)}")
    failed = False
    for i, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {i} - {test.__name__}", flush=True)
        except Skip as why:
            print(f"ok {i} - {test.__name__} # SKIP {why}", flush=True)
        except AssertionError as why:
            failed = True
            print(f"not ok {i} - {test.__name__}\n# {why}", flush=True)
    return failed
