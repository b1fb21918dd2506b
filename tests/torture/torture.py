#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""torture.py root|user BELLJAR INJECT WITNESS - every system call of the set-up fails in turn.

A clean run is listed first: every call of every process that belljar starts, up
to the moment where it executes the tool (the witness).  Then, again and again,
one of these calls fails, or every call of one kind, or one process is killed
there.  Each time one of two things must be true: the witness never ran, and
belljar said why with exit code 125 or 126; or it ran, found itself sealed, and
what the kernel says of it (its posture) is line for line that of the clean run,
unless the account says which layer differs.  The account never claims more than
what happened.  Afterwards nothing may be left.

By default the points are taken in strides until a budget of time is used up;
TORTURE_FULL=1 takes them all, with every errno.  TORTURE_SEED repeats a run.
"""
import errno
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import arena

FULL = os.environ.get("TORTURE_FULL") == "1"
SEED = int(os.environ.get("TORTURE_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
ERRNOS = [errno.EPERM, errno.ENOMEM, errno.EMFILE, errno.EIO, errno.ENOSYS, errno.EINTR,
          errno.EAGAIN, errno.ENOSPC]
WALL_S = 4  # so that the clock, at the latest, ends what got stuck
HANG_S = 10
AIMS = 3  # at one point, until somebody is hit
KILLS = 50
INSIDE = "/opt/witness"
EXTRA_FD, STATUS_FD = 9, 8
# Who, and how many seconds for calls that fail, kinds of them, and kills.
WHO = {"root": (0, (60, 12, 50)), "user": (arena.USER, (40, 12, 40))}
LOG, ACCOUNT = "/run/arena/log", "/run/arena/account"

CANNOT_FAIL = ("exit", "exit_group", "rt_sigreturn", "restart_syscall", "brk")  # as in inject.c

# Calls that put things away: when they fail, an empty group or a file may stay until the next run.
TIDYING = {"rmdir", "unlink", "unlinkat", "umount2", "kill", "pidfd_send_signal", "rename",
           "renameat2"}

# What a clean run's posture must say at least; the rest is compared with the clean run itself.
SOUND = [
    r"status Seccomp:\t2", r"status NoNewPrivs:\t1", r"status CapEff:\t0{16}",
    r"status CapBnd:\t0{16}", r"status SigBlk:\t0{16}", r"status SigIgn:\t0{16}",
    r"namespace user own", r"namespace pid own", r"namespace mnt own", r"namespace net own",
    r"namespace ipc own", r"namespace uts own", r"namespace cgroup own", r"descriptor 0",
    r"descriptor 1", r"descriptor 2",
]
SOUND_USER = [r"setgroups deny"]
SOUND_ROOT = [
    r"status Uid:(\tSLOT){4}", r"group (memory|) level \d+ memory\.(limit_in_bytes|max) \d+",
    r"group (pids|) level \d+ pids\.max \d+",
    r"group (cpu|) level \d+ cpu\.(cfs_quota_us|max) \d+.*",
]
UNSOUND = [r"descriptor ([3-9]|\d\d+)", r"env BELLJAR_TEST_CANARY=.*"]


def call_names():
    """{number: name} from the kernel's header where it is installed."""
    names = {}
    for path in ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
                 "/usr/include/asm-generic/unistd.h"):
        try:
            with open(path) as text:
                defines = re.findall(r"#define __NR3?_?(?:64_)?(\w+)\s+(\d+)", text.read())
            for name, number in defines:
                names.setdefault(int(number), name)
            return names
        except OSError:
            continue
    return names


NAMES = call_names()


class Point:
    """One call of the clean run."""

    def __init__(self, words):
        self.place, self.ordinal, self.number = words[1], int(words[2]), int(words[3])
        self.loader = words[-1] == "loader"
        self.name = NAMES.get(self.number, str(self.number))

    def __str__(self):
        return f"{self.place}:{self.ordinal} {self.name}"


class Log:
    """What the injector wrote down."""

    def __init__(self, path):
        self.calls, self.hit, self.left, self.posture = [], None, [], set()
        self.target, self.stillborn, self.end = False, False, ("none", 0)
        with open(path, errors="backslashreplace") as lines:
            for line in lines:
                words = line.split()
                if not words:
                    continue
                if words[0] == "call":
                    self.calls.append(Point(words))
                elif words[0] == "hit":
                    self.hit = self.hit or Point(words)
                elif words[0] == "target":
                    self.target = True
                elif words[0] == "stillborn":
                    self.target, self.stillborn = False, True
                elif words[0] == "posture":
                    self.posture.add(plain(line.rstrip("\n").removeprefix("posture ")))
                elif words[0] == "end":
                    self.end = (words[1], int(words[2]))
                elif words[0] == "left":
                    self.left.append(" ".join(words[1:]))


def plain(line):
    """A posture line without what may rightly differ between two runs.

    Which slot it got; whether processor time is counted by v1 or by v2; and whether the owner of
    what --read shows is mapped: where that cannot be, the box may read less, never more.
    """
    line = re.sub(r"^group (cpuacct|) own$", "processor time counted", line)
    line = re.sub(r"^group (cpuacct|) shared$", "", line)
    if line.startswith(f"mount {INSIDE} "):
        line = line.replace(",idmapped", "")
    line = re.sub(r"\bbj-[0-9a-f]{24}\b", "ID", line)
    line = re.sub(r"/proc/self/fd/\d+\b", "/proc/self/fd/N", line)
    return re.sub(r"\b(uid=|gid=)?20000\d{5}\b", r"\1SLOT", line)


class Result:
    """One run: the injector's log, belljar's words, the account if there is one."""

    def __init__(self, log, done, account):
        self.log, self.account = log, account
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")
        self.sealed = "SEALED" in self.out and "UNSEALED" not in self.out
        self.layers = plain(json.dumps(account["layers"])) if account else None


def read_account():
    """None if there is none, or only a part."""
    with open(ACCOUNT, errors="replace") as text:
        try:
            return json.loads(text.read())
        except ValueError:
            return None


def stays(item):
    """Empty groups and files of one that was killed are for the next run to put away."""
    return item.startswith(("file", "directory")) or (
        item.startswith("group ") and arena.group_is_empty(item.removeprefix("group ")))


class Bench:
    """belljar as root or as a user, the injector in front of it."""

    def __init__(self, groups, programs, uid):
        self.groups, self.uid = groups, uid
        self.belljar, self.inject, self.witness = programs
        self.who = f"uid {uid}" if uid else "root"
        self.env = {"PATH": "/usr/bin:/bin", "HOME": "/tmp/home" if uid else "/root",
                    "BELLJAR_TEST_CANARY": "1", "LC_ALL": "C.UTF-8"}
        self.bare()  # the first run may make its lock file, which stays
        self.before = arena.everything(groups)
        self.clean = self.layers = self.pid_1 = None
        self.swept = 0

    def command(self, *program, options=()):
        return [self.belljar, "run", *(arena.DEGRADED if self.uid else []), "--disk", "1m",
                "--wall", f"{WALL_S}s", *options,
                "--read", f"{self.witness}:{INSIDE}", "--", *(program or (INSIDE,))]

    def traced(self, aim):
        """One run under the injector: what it wrote down, and what belljar said."""
        command = self.command(options=["--status-fd", str(STATUS_FD)])
        argv = [self.inject, "--uid", str(self.uid), "--target", os.path.basename(INSIDE), "--log",
                LOG, "--timeout", f"{HANG_S}s", *aim, "--", *command]
        os.ftruncate(STATUS_FD, 0)
        os.lseek(STATUS_FD, 0, os.SEEK_SET)
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=self.env,
                              pass_fds=[EXTRA_FD, STATUS_FD], restore_signals=False, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"inject: {done.stderr.decode(errors='replace')}")
        return Result(Log(LOG), done, read_account())

    def bare(self, **more):
        return subprocess.run(self.command(), stdin=subprocess.DEVNULL, capture_output=True,
                              env=self.env, user=self.uid or None, group=self.uid or None,
                              extra_groups=[] if self.uid else None, timeout=60, **more)

    def leftovers(self, may_stay):
        """What is left.  If may_stay: what the next run does not sweep either."""
        if not may_stay:
            return arena.leftovers(self.before, self.groups)
        left = arena.leftovers(self.before, self.groups, tolerate=stays)
        if not left or not all(stays(item) for item in left):
            return left
        self.swept += 1
        self.bare()
        return arena.leftovers(self.before, self.groups)

    def accept_leftovers(self):
        """A leftover is reported once, not again after each run that follows."""
        self.before |= arena.everything(self.groups)


def wrong_account(r):
    """What the account claims although it was not so."""
    how, code = r.log.end
    a = r.account
    if a is None:
        return ["exit code 0 without an account"] if (how, code) == ("exit", 0) else []
    wrong = []
    if a["success"] and a["stdout"]["data"] != "SEALED\n":
        wrong.append(f"the account says success and has stdout {a['stdout']['data']!r}")
    if a["exit_code"] is not None and not r.log.target:
        wrong.append(f"the account has exit code {a['exit_code']}, but nothing ran")
    if a["stdout"]["data"] != r.out and code == 0:
        wrong.append(f"the account has another stdout: {a['stdout']['data']!r}")
    return wrong


def wrong_end(r, pid_1):
    """The exit code and the words must tell what happened."""
    how, code = r.log.end
    hit = r.log.hit
    if how == "hang":
        return [f"did not end within {HANG_S} s"]
    if r.sealed:
        return []
    if how == "exit" and code == 0:
        return ["exit code 0, but the witness's word is missing"]
    libc_s = hit and (hit.name == "arch_prctl" or (code == 127 and "belljar:" not in r.err))
    if hit and hit.place == "0" and (hit.loader or libc_s):
        return []  # the loader's own failure, or the C library's, before main
    if how == "signal":
        return [f"belljar died of signal {code}"]
    # A kill within exec cannot be told from one at the program's first instruction; and the end
    # of the box's pid 1 finds it anywhere.
    in_exec = r.log.stillborn or (hit and (hit.name == "execve" or hit.place == pid_1))
    if in_exec and code == 128 + signal.SIGKILL:
        return []
    if not r.log.target and code not in (125, 126):
        return [f"the witness never ran, but the exit code is {code}"]
    mute = hit and hit.place == "0" and hit.name in ("write", "writev")
    if not re.search(r"belljar: .{8,}", r.err) and not mute:
        return [f"exit code {code} without a word why; stderr: {r.err[:200]!r}"]
    return []


def filters_of(status):
    """How many filters lie on a process, by a line of its status; None where the kernel does not count them."""
    found = re.search(r"Seccomp_filters:\t(\d+)", status)
    return int(found[1]) if found else None


def uncounted(r):
    """What is wrong with the number of filters: ours, and what we were born with, as many as the account says."""
    with open("/proc/self/status") as text:
        inherited = filters_of(text.read())
    if inherited is None:
        return []
    said = re.search(r"instructions in (\d) filter", r.layers or "")
    there = filters_of("\n".join(r.log.posture))
    good = said and there == inherited + int(said[1])
    return [] if good else [f"{there} filters, {inherited} from outside, the account says {said and said[1]}"]


def wrong_seal(bench, r):
    """A layer that is missing without a word."""
    wrong = [r.out.strip()] if "UNSEALED" in r.out else []
    if r.log.target and bench.clean and (r.layers is None or r.layers == bench.layers):
        wrong += [f"posture lost: {line}" for line in sorted(bench.clean - r.log.posture)]
        wrong += [f"posture new: {line}" for line in sorted(r.log.posture - bench.clean)]
    elif r.log.target and re.search(r"in \d filter", r.layers or ""):
        wrong += uncounted(r)  # it came to be in another way: its filters are as many as it says
    return wrong


class Verdict:
    """Counts and remembers what one series found."""

    def __init__(self, name, bench):
        self.name, self.bench = name, bench
        self.runs = self.hits = self.ran = 0
        self.wrong = {"sealed": [], "ended": [], "tidy": []}

    def add(self, what, aim, kind, complaints):
        for line in complaints[:2 if kind == "tidy" else 6]:
            self.wrong[kind].append(f"{what} [{' '.join(aim)}]: {line}")

    def judge(self, point, aim, killed=False):
        """Processes beside each other do not always share the work in the same way: a fault that
        found nobody is aimed again.  Each run is judged."""
        self.runs += 1
        self.hits += any(self.judge_run(point, aim, killed) for _ in range(AIMS))

    def judge_run(self, point, aim, killed):
        r = self.bench.traced(aim)
        hit = r.log.hit
        what = f"{point} (now {hit})" if hit and not str(point).startswith(str(hit)) else point
        self.ran += r.log.target
        self.add(what, aim, "sealed", wrong_seal(self.bench, r))
        if not (killed and hit and hit.place == "0"):
            self.add(what, aim, "ended", wrong_end(r, self.bench.pid_1) + wrong_account(r))
        elif r.log.end[0] == "hang":
            self.add(what, aim, "ended", ["killed, but did not end"])
        may_stay = killed or (hit is not None and hit.name in TIDYING)
        left = [f"left: {item}" for item in r.log.left + self.bench.leftovers(may_stay)]
        self.add(what, aim, "tidy", left)
        if left:
            self.bench.accept_leftovers()
        return hit is not None


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, what, notes=()):
        self.count += 1
        self.failed += not good
        most = 5000 if FULL else 60
        for note in notes[:most]:
            print(f"# {note}")
        if len(notes) > most:
            print(f"# … and {len(notes) - most} more")
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}", flush=True)

    def verdict(self, v, planned):
        print(f"# {v.bench.who}, {v.name}: {v.runs} of {planned} points, {v.hits} hit, the witness "
              f"ran {v.ran} times, {v.bench.swept} runs left something for the next to sweep")
        words = {"sealed": "never ran unsealed", "ended": "ended in time, with a reason",
                 "tidy": "left nothing behind"}
        for kind, text in words.items():
            self.ok(not v.wrong[kind], f"{v.bench.who}: {v.name}: {text}", v.wrong[kind])
        self.ok(v.hits * 10 >= v.runs * 9 and v.runs > 0,
                f"{v.bench.who}: {v.name}: the faults were where they were aimed")


def strided(items):
    """All of them, far apart first: whatever the budget, the whole path is covered evenly."""
    step = 1
    while step * 2 <= len(items):
        step *= 2
    seen = set()
    while step >= 1:
        for i in range(0, len(items), step):
            if i not in seen:
                seen.add(i)
                yield items[i]
        step //= 2


def within(budget_s, items):
    end = time.monotonic() + budget_s
    for item in strided(items):
        if not FULL and time.monotonic() > end:
            return
        yield item


def clean_run(tap, bench):
    """The list of points; None if belljar does not work here at all."""
    r = bench.traced(["--list"])
    log = r.log
    good = r.out == "SEALED\n" and log.target and log.end == ("exit", 0) and r.account
    tap.ok(good, f"{bench.who}: a clean run is sealed",
           [] if good else [f"end {log.end}, stdout {r.out!r}, stderr {r.err!r}"])
    wanted = SOUND + (SOUND_USER if bench.uid else SOUND_ROOT)
    missing = [f"not there: {p}" for p in wanted
               if not any(re.fullmatch(p, line.strip()) for line in log.posture)]
    unwanted = [f"there: {line}" for p in UNSOUND for line in log.posture if re.fullmatch(p, line)]
    unsound = missing + unwanted + uncounted(r)
    tap.ok(not unsound, f"{bench.who}: the kernel's view of a clean run is sound", unsound)
    tap.ok(not bench.leftovers(False), f"{bench.who}: a clean run leaves nothing behind",
           bench.leftovers(False))
    bench.accept_leftovers()
    bench.clean, bench.layers = log.posture, r.layers
    bench.pid_1 = next((p.place for p in log.calls if p.name == "execveat"), None)
    return log.calls if good else None


def fail_each(tap, bench, points, budget_s):
    v = Verdict("one call fails", bench)
    points = [p for p in points if p.name not in CANNOT_FAIL]
    for point in within(budget_s, points):
        for number in ERRNOS if FULL else [ERRNOS[(v.runs + SEED) % len(ERRNOS)]]:
            aim = ["--fail", f"{point.place}:{point.ordinal}:{number}"]
            v.judge(f"{point} {errno.errorcode[number]}", aim)
    tap.verdict(v, len(points))


def fail_kinds(tap, bench, points, budget_s):
    v = Verdict("every call of one kind fails", bench)
    numbers = sorted({p.number for p in points if not p.loader})
    numbers = [n for n in numbers if NAMES.get(n) not in CANNOT_FAIL]
    for number in within(budget_s, numbers):
        sys_errno = ERRNOS[(v.runs + SEED) % len(ERRNOS)]
        if sys_errno in (errno.EINTR, errno.EAGAIN):
            sys_errno = errno.EPERM  # for ever would rightly mean to try for ever
        aim = ["--every", f"{number}:{sys_errno}"]
        v.judge(f"every {NAMES.get(number, number)} {errno.errorcode[sys_errno]}", aim)
    tap.verdict(v, len(numbers))


def kill_each(tap, bench, points, budget_s):
    v = Verdict("one process is killed", bench)
    for point in within(budget_s, points):
        v.judge(point, ["--kill", f"{point.place}:{point.ordinal}"], killed=True)
    tap.verdict(v, len(points))


def kill_cli(tap, bench):
    """SIGKILL to the command itself, at random moments of a run with children and no end."""
    chance = random.Random(SEED + bench.uid)
    wrong, swept = [], bench.swept
    for i in range(KILLS):
        delay = chance.random() ** 2 * 0.12
        child = subprocess.Popen(
            bench.command("/bin/sh", "-c", "sleep 60 & setsid sleep 60 & exec sleep 60"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=bench.env, user=bench.uid or None, group=bench.uid or None,
            extra_groups=[] if bench.uid else None)
        time.sleep(delay)
        child.kill()
        child.wait()
        left = bench.leftovers(True)
        wrong += [f"kill {i} after {delay * 1000:.1f} ms left: {item}" for item in left]
        if left:
            bench.accept_leftovers()
    print(f"# {bench.who}: {bench.swept - swept} of {KILLS} kills left an empty group or a file")
    tap.ok(not wrong, f"{bench.who}: {KILLS} times SIGKILL to belljar leave nothing behind", wrong)


# A call whose parent was stopped in an endless poll; ends with the errno of its own call.
RESTARTED = """
import os, select, signal, sys, time
ready, word = os.pipe()
waiter = os.getpid()
def asleep(state):
    while open(f"/proc/{waiter}/stat").read().rsplit(")", 1)[1].split()[0] not in state:
        time.sleep(0.01)
if os.fork() == 0:
    time.sleep(0.05)
    asleep("S")
    os.kill(waiter, signal.SIGSTOP)
    asleep("tT")
    os.kill(waiter, signal.SIGCONT)
    asleep("S")
    os.write(word, b".")
    os._exit(0)
poll = select.poll()
poll.register(ready, select.POLLIN)
poll.poll()
os.read(ready, 1)
child = os.fork()
if child == 0:
    try:
        os.getpriority(os.PRIO_PROCESS, 0)
    except OSError as e:
        os._exit(e.errno)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def inherited_restart(tap, inject):
    """A call that fails is not made: nor is one that the parent had left to be restarted."""
    number = next(n for n, name in NAMES.items() if name == "getpriority")
    subprocess.run([inject, "--log", LOG, "--every", f"{number}:{errno.ENOMEM}", "--timeout", "30s",
                    "--", "/usr/bin/python3", "-c", RESTARTED], timeout=60, check=True)
    log = Log(LOG)
    good = log.hit and log.end == ("exit", errno.ENOMEM)
    tap.ok(good, "a fault in the child of one that was stopped in a poll",
           [] if good else [f"end {log.end}"])


def bare_witness(tap, witness):
    """The twin: without a box every wall must be missed, or the witness proves nothing."""
    listed = subprocess.run([witness, "--walls"], capture_output=True, text=True)
    source_walls = listed.stdout.split()
    bare = subprocess.run([witness], capture_output=True, text=True, pass_fds=[EXTRA_FD],
                          env={"BELLJAR_TEST_CANARY": "1"}, cwd="/").stdout.split()
    missed = [f"says nothing of {wall}" for wall in source_walls if wall not in bare[1:]]
    tap.ok(bare[:1] == ["UNSEALED"] and source_walls and not missed,
           "without a box the witness misses every wall", missed)


def body(groups, belljar, inject, witness):
    print(f"# TORTURE_SEED={SEED}")
    os.dup2(os.open("/dev/null", os.O_RDONLY), EXTRA_FD, inheritable=True)
    os.dup2(os.open(ACCOUNT, os.O_RDWR | os.O_CREAT, 0o600), STATUS_FD, inheritable=True)
    tap = Tap()
    bare_witness(tap, witness)
    inherited_restart(tap, inject)
    uid, (each_s, kinds_s, kill_s) = WHO[sys.argv[1]]
    bench = Bench(groups, (belljar, inject, witness), uid)
    points = clean_run(tap, bench)
    if not points:
        print("Bail out! belljar does not run sealed here")
        return 1
    fail_each(tap, bench, points, each_s)
    fail_kinds(tap, bench, points, kinds_s)
    kill_each(tap, bench, points, kill_s)
    kill_cli(tap, bench)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in WHO:
        sys.exit("usage: torture.py root|user BELLJAR INJECT WITNESS")
    sys.exit(arena.run(sys.argv[2:5], body))
