#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""regrouped.py BELLJAR WHO - control groups of one call are used for the next, which sees nothing of it.

Who waits for a call is in the groups of that call already: it tells which these will be.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import beneath  # noqa: E402
from sessioning import Sessions, finish, start  # noqa: E402
from tapping import run, wait_until  # noqa: E402

# A share of the processor that nobody reaches: who was held back leaves groups that tell of it.
POLICY = """\
version: 1
{s.allow}
serve: {{ loopback_without_key: true, concurrency: 1 }}
clients:
  local: {{ uid: any, tools: ["*"] }}
tools:
  py: {{ kind: code, languages: [python], rate: unlimited, screen: {{ mode: warn }},
        limits: {{ cpu_percent: 1000, memory: 96M, disk: 4M, processes: 4 }} }}
"""
ENOUGH, ROUNDS = 4, 40
MIB = 1 << 20
HEAVY = "x = bytearray(64 << 20)\nimport time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
LIGHT = "print('hi')"
# The disk first: then it is the kernel that kills for memory, and counts it.
TOO_MUCH = "import os\nf = os.open('/work/f', os.O_WRONLY | os.O_CREAT)\ntry:\n    while os.write(f, bytes(65536)): pass\n" \
           "except OSError: pass\nx = bytearray(200 << 20)"
CHILDREN = "import os\nfor _ in range(3): os.fork() or os._exit(0)\nfor _ in range(3): os.wait()"
TOO_MANY = "import os, time\nn = 0\nfor _ in range(20):\n    try:\n        if os.fork() == 0: time.sleep(100)\n" \
           "    except OSError: n += 1\nprint(n)"


def groups_of(pid):
    """Those of a box: controller -> directory."""
    found = {}
    with open("/proc/%d/cgroup" % pid) as text:
        lines = [line.strip().split(":", 2) for line in text]
    for _, kinds, path in lines:
        for kind in kinds.split(","):
            if "-slot-box" in path:
                found[kind] = os.path.realpath("/sys/fs/cgroup/" + kinds) + path
    return found


class Grouped(Sessions):
    policy = POLICY

    def waiting(self):
        """Who waits for the next call, and its groups by name and inode.  None: nobody does."""
        for pid in beneath(self.process.pid):
            try:
                groups = groups_of(pid)
                if "memory" in groups:
                    return pid, sorted((path, os.stat(path).st_ino) for path in set(groups.values()))
            except (FileNotFoundError, ProcessLookupError):
                pass
        return None

    def awaited(self, but=None):
        """The same, as soon as there is one, and another than this."""
        found = []

        def is_there():
            found[:] = [one for one in [self.waiting()] if one and one[0] != but]
            return found

        wait_until(is_there)
        return found[0]

    def counts(self, kind, name):
        """What a counter of the next call's groups says before the call."""
        with open("%s/%s" % (groups_of(self.awaited()[0])[kind], name)) as file:
            return int(file.read())

    def has_groups(self):
        """Of version 1, for whoever waits."""
        answer = self.execute(LIGHT)[1]
        self.first, layers = account_of(answer), answer["layers"]
        return all(layers[name]["detail"] == "cgroup v1" for name in ("memory", "processes", "cpu"))

    def call(self, code):
        """The answer; whether the next call will have its groups."""
        pid, groups = self.awaited()
        answer = self.execute(code)[1]
        return answer, self.awaited(but=pid)[1] == groups


def account_of(answer):
    used, near = answer["resource_usage"], answer["near_misses"]
    return {"cpu_ms": used["cpu_user_ms"] + used["cpu_system_ms"], "throttled_ms": used["cpu_throttled_ms"],
            "memory": used["memory_peak_bytes"], "processes": used["processes_peak"],
            "memory_hits": near["memory_limit_hits"], "forks_refused": near["forks_refused"]}


def is_light(s, answer):
    """As the first one, in groups that nobody had before."""
    a = account_of(answer)
    return (answer["status"] == "success" and answer["kill_reason"] is None and a["cpu_ms"] < 100 and
            a["memory"] < s.first["memory"] + 4 * MIB and a["processes"] == 1 and
            not (a["throttled_ms"] or a["memory_hits"] or a["forks_refused"]))


def grouped(t):
    s = start(Grouped)
    if s.has_groups():
        return s
    t.say("SKIP not all groups are of version 1")
    finish(t, s)
    return None


def the_next_call_has_the_groups_and_nothing_else_of_the_last(t):
    s = grouped(t)
    if not s:
        return
    again = rounds = 0
    while again < ENOUGH and rounds < ROUNDS:  # not if somebody lingers, or memory that was read for him
        rounds += 1
        heavy, same = s.call(HEAVY)
        a = account_of(heavy)
        t.check(heavy["status"] == "success" and a["cpu_ms"] >= 290 and a["memory"] >= 64 * MIB, heavy)
        cpu, peak = s.counts("cpuacct", "cpuacct.usage") / 1e6, s.counts("memory", "memory.max_usage_in_bytes")
        t.check(cpu < 200 and peak < 32 * MIB, (cpu, peak))
        light, _ = s.call(LIGHT)
        t.check(is_light(s, light), light)
        again += same
    t.say("%d of %d calls had the groups of a heavy one" % (again, rounds))
    t.check(again == ENOUGH, again)
    finish(t, s)


def groups_that_tell_of_a_call_are_not_the_next_ones(t):
    s = grouped(t)
    if not s:
        return
    for code, shows in ((TOO_MUCH, lambda a: a["kill_reason"] == "memory" and account_of(a)["memory_hits"] > 0),
                        (TOO_MANY, lambda a: account_of(a)["forks_refused"] > 0),
                        (CHILDREN, lambda a: a["status"] == "success" and account_of(a)["processes"] > 1)):
        answer, same = s.call(code)
        t.check(shows(answer), answer)
        t.check(not same, "the groups of %r" % code)
        light, _ = s.call(LIGHT)
        t.check(is_light(s, light), light)
    finish(t, s)


run([
    the_next_call_has_the_groups_and_nothing_else_of_the_last,
    groups_that_tell_of_a_call_are_not_the_next_ones,
])
