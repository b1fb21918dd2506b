#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""processors_test.py BOX_ALONE: a program in a box may run on the same processors as whoever started it.

While a box is made its processes are sent from one processor to another, and some are bound to one for a while: none
of that is to be left when the program begins.  Whether it happens at all depends on who was first, so there are
several runs; and two programs, one that is over in a moment and one that looks a little later.  On a machine without
a free processor nobody is sent anywhere, and then this proves less.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from patience import scratch  # noqa: E402

BOX_ALONE = os.path.realpath(sys.argv[1])
PATIENCE_S = 60
RUNS = 12
SOMEBODY = 54321
AT_ONCE = ["/bin/grep", "Cpus_allowed_list", "/proc/self/status"]
# They are sent about only if a processor is free: whoever waits for the box sleeps by then.
REST = ["/bin/sh", "-c", 'sleep 0.02; exec "$@"', "sh"]
LATER = ["/usr/bin/python3", "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]


class Skip(Exception):
    pass


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def said(command, processors, user):
    """What the command says when it is started by somebody who has these processors."""
    who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    result = subprocess.run(REST + command, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                            preexec_fn=lambda: os.sched_setaffinity(0, processors), **who)
    check(result.returncode == 0, (command, result))
    return result.stdout


def compare(processors, user):
    with scratch() as where:
        os.chmod(where, 0o755)
        program = shutil.copy(BOX_ALONE, where)
        weaker = [] if os.geteuid() == 0 and user is None else ["--allow-degraded", "memory,processes,cpu"]
        box = [program, "run", *weaker, "--"]
        for command in (AT_ONCE, LATER):
            outside = said(command, processors, user)
            check(outside.strip(), "nothing was said outside")
            for _ in range(RUNS):
                inside = said(box + command, processors, user)
                check(inside == outside, (inside, outside))


def all_of_them():
    compare(os.sched_getaffinity(0), None)


def all_of_them_as_a_user():
    if os.geteuid() != 0:
        raise Skip("only root can be somebody else")
    compare(os.sched_getaffinity(0), SOMEBODY)


def fewer_of_them():
    """The twin: what is compared above is not the same for everybody."""
    every = sorted(os.sched_getaffinity(0))
    if len(every) < 2:
        raise Skip("there is one processor only")
    check(said(AT_ONCE, every[:-1], None) != said(AT_ONCE, every, None), "it says nothing of processors")
    compare(every[:-1], None)
    compare(every[-1:], None)


TESTS = [all_of_them, all_of_them_as_a_user, fewer_of_them]


def main():
    failed = 0
    print("1..%d" % len(TESTS))
    for number, test in enumerate(TESTS, 1):
        name = test.__name__.replace("_", " ")
        try:
            test()
            print("ok %d - %s" % (number, name))
        except Skip as why:
            print("ok %d - %s # SKIP %s" % (number, name, why))
        except Exception as error:  # noqa: BLE001
            print("not ok %d - %s\n# %r" % (number, name, error))
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
