#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""foresee_test.py BOX_ALONE: what the launcher looks up ahead is what the program looks for, and nothing of a caller's.

What it asks for is seen with strace.  It looks up anything only where a processor is free, and here one is: in mounts of
the test's own /proc/loadavg says so.  That the kernel then lets nobody mount a /proc is allowed for.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from patience import scratch  # noqa: E402
from sentences import check, tell  # noqa: E402

BOX_ALONE = os.path.realpath(sys.argv[1])
PYTHON = "/usr/bin/python3"
PATIENCE_S = 60
LOOKED_UP = re.compile(r'^(\d+) .*\b(?:newfstatat|openat|access|readlink|statx)\((?:AT_FDCWD, )?"(/[^"]*)"')
BEGAN = re.compile(r'^(\d+) +execve\("([^"]*)"')
MOUNTS = """set -e
mount --make-rprivate /
mount --bind "$1/loadavg" /proc/loadavg
mount --bind / "$1/root"
shift
exec "$@"
"""


def watch(options, command):
    """What the process of the program looked for, and what all others did of the host's programs."""
    with scratch() as where:
        trace = where + "/trace"
        with open(where + "/loadavg", "w", encoding="ascii") as file:
            file.write("0.00 0.00 0.00 1/100 12345\n")
        os.mkdir(where + "/root")
        options = [word.replace("PLACE", where) for word in options]
        done = subprocess.run(["unshare", "-m", "sh", "-c", MOUNTS, "sh", where, "strace", "-f", "-qq", "-o", trace,
                               "-e", "trace=newfstatat,openat,access,readlink,statx,execve", BOX_ALONE, "run",
                               "--allow-degraded", "proc", *options, "--", *command],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        check(done.returncode == 0, done)
        with open(trace, encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    began = [BEGAN.match(line) for line in lines]
    pid = [match[1] for match in began if match and match[2] == command[0]]
    check(len(pid) == 1, began)
    seen = [LOOKED_UP.match(line) for line in lines]
    own = {match[2] for match in seen if match and match[1] == pid[0]}
    others = {match[2] for match in seen if match and match[1] != pid[0]}
    return own, {name for name in others if name.startswith(("/usr/", "/lib", "/bin/")) or "ld.so" in name}


def it_is_what_python_looks_for():
    own, ahead = watch([], [PYTHON, "-c", "pass"])
    ahead = {name for name in ahead if "/python" in name}
    check(len(ahead) > 15, sorted(ahead))
    wrong = {name for name in ahead if not any((asked + "/").startswith(name + "/") for asked in own | {PYTHON})}
    # Versions differ, and what is installed beside them.
    check(len(wrong) * 2 <= len(ahead), f"looked up for nothing: {sorted(wrong)}")


def nothing_is_looked_up_where_something_was_lent():
    """It may never answer, or hold links that the last program made."""
    with scratch() as where:
        os.chmod(where, 0o755)
        _, ahead = watch(["--read", where + ":/usr/local"], [PYTHON, "-c", "pass"])
        check(not {name for name in ahead if "/encodings" in name}, sorted(ahead))


def nothing_is_looked_up_in_another_root():
    """Even if that is the host's own."""
    _, ahead = watch(["--root", "PLACE/root"], [PYTHON, "-c", "pass"])
    check(not {name for name in ahead if "/encodings" in name}, sorted(ahead))


TESTS = [it_is_what_python_looks_for, nothing_is_looked_up_where_something_was_lent,
         nothing_is_looked_up_in_another_root]


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP only root has mounts of its own here")
        return 0
    return tell(TESTS)


sys.exit(main())
