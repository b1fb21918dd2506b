#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""serve_soak.py BELLJAR LOAD CALLS - that many calls from 16 clients leave nothing behind, told in TAP.

After a first fifth everything that grows once has grown.  What each role then has (memory, files that
are open), and what is there of processes, control groups, mounts and files, is held against the end.
"""
import os
import sys

from benchservice import PYTHON, TRUE, BenchService
from living import ROLES, beneath
from tapping import Told, wait_until

CLIENTS = 16
SLACK_KIB = 256  # per process: what an allocator keeps
CALLS = int(sys.argv[3])


def status_kib(pid, name):
    with open("/proc/%d/status" % pid) as text:
        return sum(int(line.split()[1]) for line in text if line.startswith(name + ":"))


def mounts(pid):
    with open("/proc/%d/mountinfo" % pid) as text:
        return len(text.readlines())


def groups(pids):
    """Control groups that are named after our processes."""
    found = set()
    for top, names, _ in os.walk("/sys/fs/cgroup"):
        for name in names:
            words = name.split("-")
            if words[0] == "belljar" and len(words) > 1 and words[1].isdigit() and int(words[1]) in pids:
                found.add(os.path.join(top, name))
    return found


def files(folder):
    return sum(len(names) + len(folders) for _, folders, names in os.walk(folder))


class State:
    """What there is of a service that has nothing to do."""

    def __init__(self, service):
        pids = {role: service.pids(role) for role in ROLES}
        ours = beneath(service.process.pid) | {service.process.pid}
        self.memory = {r: sum(status_kib(p, "RssAnon") for p in pids[r]) for r in ROLES}
        self.memory["supervisor"] = status_kib(service.process.pid, "RssAnon")
        self.counts = {"descriptors of the " + r: sum(len(os.listdir("/proc/%d/fd" % p)) for p in pids[r])
                       for r in ROLES}
        self.counts.update({
            "descriptors of the supervisor": len(os.listdir("/proc/%d/fd" % service.process.pid)),
            "processes": len(ours), "control groups": len(groups(ours)),
            "mounts of the warden": mounts(pids["warden"][0]),
            "mounts of the supervisor": mounts(service.process.pid),
            "files of the state": files(service.dir + "/state")})
        self.pids = pids

    def has_more_than(self, other):
        return {k: (other.counts[k], n) for k, n in self.counts.items() if n > other.counts[k]}


def settled(service, since=None):
    """The state when the last box is gone."""
    last = []

    def is_quiet():
        last[:] = [State(service)]
        return all(last[0].pids.values()) and (since is None or not last[0].has_more_than(since))
    try:
        wait_until(is_quiet)
    except TimeoutError:
        pass
    return last[0]


def batch(service, calls):
    failed = 0
    for body, share in ((TRUE, calls * 4 // 5), (PYTHON, calls - calls * 4 // 5)):
        failed += service.load("many", CLIENTS, share, "/execute", body)["calls"][1]
    return failed


def main():
    told, first, rest = Told(), CALLS // 5, CALLS // 5 * 2
    with BenchService(sys.argv[1], sys.argv[2]) as service:
        print("1..4")
        failed = batch(service, first)
        begun = settled(service)
        failed += batch(service, rest)
        half = settled(service, begun)
        failed += batch(service, CALLS - first - rest)
        end = settled(service, half)
        print("%s 1 - %d calls succeed" % ("not ok" if failed else "ok", CALLS))
        more = end.has_more_than(begun)
        told.check(not more, more)
        print("%s 2 - nothing more is there than after the first %d" % ("not ok" if more else "ok", first))
        grown = {}
        for role, kib in sorted(end.memory.items()):
            told.say("%-10s %6d KiB, then %6d, then %6d" % (role, begun.memory[role], half.memory[role], kib))
            if kib - half.memory[role] > SLACK_KIB * max(1, len(end.pids.get(role, [1]))):
                grown[role] = (half.memory[role], kib)
        print("%s 3 - memory of each role is flat" % ("not ok" if grown else "ok"))
        pids = beneath(service.process.pid) | {service.process.pid}
    left = groups(pids)
    told.check(not left, left)
    print("%s 4 - after its end nothing is left" % ("not ok" if left else "ok"))
    return 1 if failed or more or grown or left else 0


sys.exit(main())
