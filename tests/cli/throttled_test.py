#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""throttled_test.py BELLJAR: what a program leaves behind dies slowly, in a group that has no processor time left.

Its share is taken away from outside, when all of it is there.  The end is waited for; on a machine on which dying
is cheap the wait is short, and then this proves less.
"""
import os
import signal
import subprocess
import sys
import time

BELLJAR = os.path.realpath(sys.argv[1])
PATIENCE_S = 60
CHILDREN, MIB = 8, 3
PROGRAM = r"""
import os, mmap, sys
for _ in range(%d):
    if os.fork() == 0:
        m = mmap.mmap(-1, %d << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for at in range(0, len(m), 4096): m[at] = 1
        os.write(1, b'up\n')
        while True: pass
sys.stdin.read()
os.write(1, b'over\n')
os._exit(7)
""" % (CHILDREN, MIB)


class Skip(Exception):
    pass


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def beneath(top):
    with open("/proc/%d/task/%d/children" % (top, top)) as text:
        direct = [int(word) for word in text.read().split()]
    found = []
    for pid in direct:
        found.append(pid)
        try:
            found += beneath(pid)
        except FileNotFoundError:
            pass
    return found


def group_of(pid):
    """The directory of the group that limits its processor time."""
    with open("/proc/%d/cgroup" % pid) as text:
        for line in text:
            number, kinds, path = line.strip().split(":", 2)
            if "cpu" in kinds.split(","):
                return "/sys/fs/cgroup/" + kinds.split(",")[0] + path
            if number == "0" and os.path.exists("/sys/fs/cgroup" + path + "/cpu.max"):
                return "/sys/fs/cgroup" + path
    return None


def throttle(top):
    """A thousandth of a processor for whoever is in the box."""
    groups = {group for group in map(group_of, beneath(top)) if group and "belljar" in group}
    if not groups:
        raise Skip("its processor time is not limited here")
    check(len(groups) == 1, groups)
    group = groups.pop()
    for name, text in (("cpu.cfs_period_us", "1000000"), ("cpu.cfs_quota_us", "1000"), ("cpu.max", "1000 1000000")):
        if os.path.exists(os.path.join(group, name)):
            with open(os.path.join(group, name), "w") as out:
                out.write(text)
    return group


def run(wall):
    """How it ended, how long that took, and its group."""
    with subprocess.Popen([BELLJAR, "run", "--cpu-percent", "100", "--wall", wall, "--stdin", "--", "/usr/bin/python3",
                           "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as box:
        try:
            for _ in range(CHILDREN):
                check(box.stdout.readline() == b"up\n", "it does not start")
            group = throttle(box.pid)
            begun = time.monotonic()
            box.stdin.close()
            box.stdin = None
            out, err = box.communicate(timeout=PATIENCE_S)
        except BaseException:
            box.send_signal(signal.SIGKILL)
            raise
    return box.returncode, out, err.decode(), time.monotonic() - begun, group


def the_rest_of_a_box_is_waited_for():
    code, out, err, took, group = run("50s")
    print("# %.1f s" % took)
    check((code, out) == (7, b"over\n"), (code, out, err))
    check(not os.path.exists(group), group)


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP only root may change a box's share")
        return 0
    print("1..1")
    name = the_rest_of_a_box_is_waited_for.__name__.replace("_", " ")
    try:
        the_rest_of_a_box_is_waited_for()
        print("ok 1 - " + name)
    except Skip as why:
        print("ok 1 - %s # SKIP %s" % (name, why))
    except Exception as error:  # noqa: BLE001
        print("not ok 1 - %s\n# %r" % (name, error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
