#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""soak.py BELLJAR - many runs, eight at a time, of programs that misbehave; then: what is left?

SOAK_RUNS (2000) says how many, SOAK_JOBS (8) how many at once, SOAK_SEED repeats
an order.  Every tenth run is an ordinary user's.  Each kind of program has the
exit code it must get, under load too.  Afterwards processes, mounts, control
groups, namespaces, files, SysV objects, keys and the driver's descriptors are
compared with what was there before.
"""
import collections
import os
import random
import selectors
import subprocess
import sys
import time

import arena

RUNS = int(os.environ.get("SOAK_RUNS", "2000"))
JOBS = int(os.environ.get("SOAK_JOBS", "8"))
SEED = int(os.environ.get("SOAK_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
STUCK_S = 60

Kind = collections.namedtuple("Kind", "name share options program root user")

BOMB = "bomb() { bomb | bomb & }; bomb; wait"
DAEMON = "(setsid sleep 99 &) ; (setsid sh -c 'trap \"\" TERM; sleep 99' >/dev/null &) ; echo up"
EATER = "x=\"$(head -c 64m /dev/zero | tr '\\0' x)\"; x=$x$x; echo ate"
LITTER = ("mkdir -p d/e/f; ln -s / d/e/root; mkfifo d/pipe; head -c 100k /dev/zero > d/f; "
          "cp -r d /tmp; cp -r d /dev/shm; exit 5")

# root and user: the exit codes that are right; None: any.  A user has no memory or process group
# on cgroup v1, so that a limit there may end a program in its own words.
KINDS = [
    Kind("true", 70, [], ["/bin/true"], {0}, {0}),
    Kind("exit code", 6, [], ["/bin/sh", "-c", "exit 42"], {42}, {42}),
    Kind("signal", 4, [], ["/bin/sh", "-c", "kill -TERM $$"], {143}, {143}),
    Kind("python", 4, [], ["/usr/bin/python3", "-c", "print(sum(range(100)))"], {0}, {0}),
    Kind("timeout", 4, ["--wall", "50ms"], ["/bin/sleep", "99"], {124}, {124}),
    Kind("fork bomb", 2, ["--processes", "12", "--wall", "200ms"], ["/bin/bash", "-c", BOMB],
         None, None),
    Kind("memory", 2, ["--memory", "16m", "--disk", "1m"], ["/bin/sh", "-c", EATER], {137}, None),
    Kind("flood", 2, ["--output", "1000"], ["/usr/bin/yes"], {137}, {137}),
    Kind("daemon", 2, [], ["/bin/sh", "-c", DAEMON], {0}, {0}),
    Kind("litter", 2, ["--disk", "4m"], ["/bin/sh", "-c", LITTER], {5}, {5}),
    Kind("not found", 1, [], ["/no/such/program"], {127}, {127}),
    Kind("bad option", 1, ["--memory", "much"], ["/bin/true"], {125}, {125}),
]


class Soak:
    def __init__(self, groups, belljar):
        self.groups, self.belljar = groups, belljar
        self.chance = random.Random(SEED)
        self.running, self.done = {}, 0
        self.tally = collections.Counter()
        self.wrong = []
        self.selector = selectors.DefaultSelector()

    def start(self, number):
        kind = self.chance.choices(KINDS, [k.share for k in KINDS])[0]
        uid = arena.USER if number % 10 == 9 else 0
        argv = [self.belljar, "run", *(arena.DEGRADED if uid else []), *kind.options, "--",
                *kind.program]
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "HOME": "/tmp/home"}, user=uid or None,
            group=uid or None, extra_groups=[] if uid else None)
        pidfd = os.pidfd_open(child.pid)
        self.selector.register(pidfd, selectors.EVENT_READ)
        self.running[pidfd] = (number, kind, uid, child, time.monotonic())

    def finish(self, pidfd):
        number, kind, uid, child, _ = self.running.pop(pidfd)
        self.selector.unregister(pidfd)
        os.close(pidfd)
        # The end of the command is enough: a process that still holds stderr would be a leftover.
        os.set_blocking(child.stderr.fileno(), False)
        words = child.stderr.read() or b""
        child.stderr.close()
        code = child.wait()
        allowed = kind.user if uid else kind.root
        self.tally[f"{kind.name} {'user' if uid else 'root'} {code}"] += 1
        if code < 0 or (allowed is not None and code not in allowed) or (
                allowed is None and code == 125):
            self.wrong.append(f"run {number}, {kind.name} as {uid}: exit code {code}, "
                              f"{words.decode(errors='replace').strip()[:200]!r}")
        self.done += 1

    def drop_stuck(self):
        for pidfd, (number, kind, uid, child, since) in list(self.running.items()):
            if time.monotonic() - since > STUCK_S:
                self.wrong.append(f"run {number}, {kind.name} as {uid}: stuck for {STUCK_S} s")
                child.kill()

    def progress(self, started):
        if sys.stderr.isatty():
            pace = self.done / max(time.monotonic() - started, 0.001)
            print(f"\r{self.done}/{RUNS} runs, {pace:.0f}/s, {len(self.wrong)} wrong ",
                  end="\n" if self.done == RUNS else "", file=sys.stderr, flush=True)

    def run(self):
        started, number = time.monotonic(), 0
        while self.done < RUNS:
            while number < RUNS and len(self.running) < JOBS:
                self.start(number)
                number += 1
            for key, _ in self.selector.select(timeout=1):
                self.finish(key.fd)
            self.drop_stuck()
            self.progress(started)
        self.selector.close()
        print(f"# {RUNS} runs, {JOBS} at a time, in {time.monotonic() - started:.1f} s")
        for line, count in sorted(self.tally.items()):
            print(f"#   {count:5} {line}")


def key_counts():
    """{uid: keys} of root and of the boxes' own users."""
    found = {}
    with open("/proc/key-users") as lines:
        for line in lines:
            uid, rest = line.split(":")
            if int(uid) == 0 or int(uid) >= 2000000000 or int(uid) == arena.USER:
                found[int(uid)] = int(rest.split()[1].split("/")[0])
    return found


def grown(before, now, room):
    return [f"{kind}: {before.get(kind, 0)} before, {count} after"
            for kind, count in now.items() if count - before.get(kind, 0) > room]


def settled(before, look, room, seconds=15):
    """The kernel frees namespaces and keys in its own time: wait until few are left."""
    end = time.monotonic() + seconds
    while grown(before, look(), room) and time.monotonic() < end:
        time.sleep(0.2)
    return grown(before, look(), room)


def body(groups, belljar):
    print(f"# SOAK_SEED={SEED}")
    warm = Soak(groups, belljar)
    for number in (0, 9):  # the first run of root and of the user may make directories that stay
        warm.start(number)
    while warm.running:
        for key, _ in warm.selector.select():
            warm.finish(key.fd)
    arena.leftovers(set(), groups, 0.5)
    before, fds = arena.everything(groups), arena.descriptors()
    objects, keys = arena.namespace_objects(), key_counts()

    soak = Soak(groups, belljar)
    soak.run()

    # The counts are the whole machine's and others may be at work: a leak in one of ten runs shows.
    room = max(RUNS // 10, 64)
    checks = [
        ("every run had the right end", soak.wrong),
        ("no process, mount, group, namespace, file or SysV object is left",
         arena.leftovers(before, groups, 5)),
        ("nothing that was there is gone", sorted(before - arena.everything(groups))),
        ("no descriptor of the driver is left open", sorted(arena.descriptors() - fds)),
        ("the kernel holds no pinned namespaces",
         settled(objects, arena.namespace_objects, room)),
        ("no keys pile up", settled(keys, key_counts, 16)),
    ]
    print(f"1..{len(checks)}")
    for number, (what, wrong) in enumerate(checks, 1):
        for line in wrong[:40]:
            print(f"# {line}")
        if len(wrong) > 40:
            print(f"# … and {len(wrong) - 40} more")
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
    return 1 if any(wrong for _, wrong in checks) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: soak.py BELLJAR")
    sys.exit(arena.run(sys.argv[1:2], body))
