#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pathfaults.py BELLJAR INJECT ... - every system call of a whole belljar run fails in turn.

torture.py does that to a box alone.  Here policy, redaction and log are around it: the calls of
belljar, of the scribe that it starts and of its aide fail, or the process is killed there.  The
rest of the arguments are the programs that belljar needs beside it.  Whatever happens:

- what ran is in the log, and what an answer has a receipt for is there;
- what belljar says was refused did not run;
- the credential that the program prints never comes out;
- it ends, and leaves nothing; the next run works, and the log verifies.

By default the points are taken in strides until a budget of time is used up;
TORTURE_SCALE multiplies it, TORTURE_FULL=1 takes them all, with every errno.
TORTURE_SEED repeats a run.  TORTURE_KEEP is a directory for logs that are not whole.
"""
import errno
import json
import os
import random
import shutil
import subprocess
import sys
import time

import arena
import pathbench
from torture import Log, TIDYING, CANNOT_FAIL, Tap, stays, strided

FULL = os.environ.get("TORTURE_FULL") == "1"
SEED = int(os.environ.get("TORTURE_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
ERRNOS = [errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENOSPC, errno.EINTR, errno.EPERM]
SCALE = float(os.environ.get("TORTURE_SCALE", "1"))
HANG_S = 20
SCRIBE = "belljar-scribe"
LOG = "/run/arena/injected"
STATUS = "/run/arena/status"
STATUS_FD = 8
# They have no errors to return.
NEVER_FAIL = {*CANNOT_FAIL, "umask", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid",
              "getegid", "set_tid_address"}
NOT_STARTED = ("nothing was run", "cannot be used")


class Faults:
    """One kind of fault over all points of one kind of run."""

    def __init__(self, groups, programs, fresh):
        self.groups, self.fresh = groups, fresh
        self.belljar, self.inject = programs
        self.who = "a new log" if fresh else "a log that is there"
        self.number = self.runs = self.hits = self.ran = self.refused = 0
        self.wrong = {}
        self.excused = set()
        self.path = None
        self.begin()
        self.path.run("first")
        pathbench.end_scribes()
        self.before = arena.everything(groups)

    def begin(self):
        self.path = pathbench.Path(self.belljar, f"path{self.fresh:d}-{self.number}")

    def renew(self):
        self.path.remove()
        self.begin()

    def traced(self, aim):
        """One run: the injector's log, what came out, and the account."""
        self.number += 1
        name = f"run{self.number}"
        shell = os.path.basename(os.path.realpath("/bin/sh"))
        command = self.path.command(name, "--status-fd", str(STATUS_FD))
        os.ftruncate(STATUS_FD, 0)
        os.lseek(STATUS_FD, 0, os.SEEK_SET)
        done = subprocess.run(
            [self.inject, "--target", shell, "--daemon", SCRIBE, "--log", LOG, "--timeout",
             f"{HANG_S}s", *aim, "--", *command], stdin=subprocess.DEVNULL, capture_output=True,
            env=self.path.env, pass_fds=[STATUS_FD], restore_signals=False, timeout=120)
        with open(STATUS, "rb") as text:
            status = text.read()
        return name, Log(LOG), done, status

    def complain(self, kind, what, texts):
        self.wrong.setdefault(kind, []).extend(f"{what}: {t}" for t in texts)

    def judge(self, what, aim, killed):
        name, log, done, status = self.traced(aim)
        ran = name in self.path.marked()
        self.runs += 1
        self.hits += log.hit is not None
        self.ran += ran
        what = f"{what} [{' '.join(aim)}], hit {log.hit}"
        if log.end[0] == "hang":
            self.complain("ends", what, [f"did not end within {HANG_S} s"])
        self.complain("redacted", what, pathbench.leaked(done.stdout, done.stderr, status))
        self.complain("recorded", what, self.wrong_log(name, ran, status))
        self.complain("honest", what, self.wrong_words(ran, log, done, status))
        may_stay = killed or (log.hit is not None and log.hit.name in TIDYING)
        self.complain("tidy", what, self.left(log, may_stay, ran))
        if self.fresh or self.number % 8 == 0:
            self.complain("recorded", what, self.recover())

    def wrong_log(self, name, ran, status):
        wrong = [f"{name} ran, and is not in the log"] if ran and name in self.path.unwritten() \
            else []
        try:
            return wrong + self.path.lost(json.loads(status), self.path.records())
        except ValueError:
            return wrong

    def wrong_words(self, ran, log, done, status):
        how, code = log.end
        words = done.stderr.decode(errors="replace")
        refused = any(w in words for w in NOT_STARTED)
        self.refused += refused
        wrong = [f"it ran, but belljar said: {words[:200]!r}"] if ran and refused else []
        if (how, code) == ("exit", 0):
            if not ran or done.stdout.decode() != f"{pathbench.CLEAN}\n":
                wrong.append(f"exit code 0; ran: {ran}, stdout {done.stdout[:200]!r}")
            if not done.stderr.startswith(pathbench.CLEAN.encode()):
                wrong.append(f"exit code 0, stderr {done.stderr[:200]!r}")
        if status.startswith(b'{') and b'"status":"success"' in status and not ran:
            wrong.append("the account says success, and nothing ran")
        if how == "exit" and code != 0 and not words and \
                not (log.hit and (log.hit.loader or log.hit.name in ("write", "arch_prctl"))):
            wrong.append(f"exit code {code} without a word")
        return wrong

    def left(self, log, may_stay, ran):
        """What the last one was allowed to leave is swept by the next that gets as far."""
        tolerate = stays if may_stay else None
        pathbench.end_scribes()
        known = self.before if ran else self.before | self.excused
        left = arena.leftovers(known, self.groups, tolerate=tolerate)
        excused = {item for item in left if tolerate and tolerate(item)}
        self.excused = excused if ran else self.excused | excused
        left = [item for item in left if item not in excused]
        self.before |= set(left)
        return [f"left: {item}" for item in log.left + left]

    def recover(self):
        """The next run works, and the log is whole."""
        self.number += 1
        done = self.path.run(f"run{self.number}")
        wrong = [] if done.returncode == 0 else \
            [f"the next run: {done.returncode} {done.stderr[:300]!r}"]
        wrong += [f"{name} ran, and is not in the log" for name in self.path.unwritten()]
        wrong += self.path.odd_stories()
        complaint = self.path.verify()
        if complaint:
            wrong.append(f"verify: {complaint[:400]}")
        if wrong and os.environ.get("TORTURE_KEEP"):
            shutil.copytree(self.path.dir, f"{os.environ['TORTURE_KEEP']}/{self.number}")
        if self.fresh or wrong:
            self.renew()
        else:
            pathbench.end_scribes()
        return wrong


def points_of(tap, faults):
    """Where faults can be; with the programs of the processes."""
    if faults.fresh:
        faults.renew()
    name, log, done, status = faults.traced(["--list"])
    good = log.end == ("exit", 0) and done.stdout.decode() == f"{pathbench.CLEAN}\n" and \
        name in faults.path.begun() and not faults.path.lost(json.loads(status), faults.path.records())
    tap.ok(good, f"{faults.who}: a run without a fault is recorded and redacted",
           [] if good else [str(log.end), repr(done.stdout[:300]), repr(done.stderr[:600])])
    with open(LOG, errors="backslashreplace") as lines:
        programs = {w[1]: os.path.basename(w[2]) for w in map(str.split, lines) if w[0] == "exec"}
    there = set(programs.values())
    tap.ok({SCRIBE, "belljar-gate", "belljar"} <= there,
           f"{faults.who}: belljar, its scribe and its aide are followed", sorted(there))
    faults.recover()
    # What makes the box has its own test; what goes around it is here.  The scribe that stays is a
    # child of the one that was started.
    scribes = tuple(f"{place}." for place, name in programs.items() if name == SCRIBE)
    return [p for p in log.calls if not p.loader and
            (p.place in programs or p.place.startswith(scribes))] if good else []


def sweep(faults, points, budget_s, kill):
    end = time.monotonic() + budget_s * SCALE
    chance = random.Random(SEED)
    points = [p for p in points if kill or p.name not in NEVER_FAIL]
    points = points[chance.randrange(3):] if not FULL else points
    for point in strided(points):
        if not FULL and time.monotonic() > end:
            break
        if kill:
            faults.judge(f"killed at {point}", ["--kill", f"{point.place}:{point.ordinal}"], True)
            continue
        for number in ERRNOS if FULL else [chance.choice(ERRNOS)]:
            faults.judge(f"{point} {errno.errorcode[number]}",
                         ["--fail", f"{point.place}:{point.ordinal}:{number}"], False)
    return len(points)


PROMISES = {"recorded": "what ran is in the log, and the log is whole",
            "honest": "what is said is what happened",
            "redacted": "the credential never came out",
            "ends": "it ended in time",
            "tidy": "nothing was left"}


def body(groups, belljar, inject, *_):
    print(f"# TORTURE_SEED={SEED}")
    os.dup2(os.open(STATUS, os.O_RDWR | os.O_CREAT, 0o600), STATUS_FD, inheritable=True)
    tap = Tap()
    for fresh, fail_s, kill_s in ((True, 6, 4), (False, 6, 4)):
        faults = Faults(groups, (belljar, inject), fresh)
        points = points_of(tap, faults)
        if not points:
            print("Bail out! belljar run does not work here")
            return 1
        planned = sweep(faults, points, fail_s, False) + sweep(faults, points, kill_s, True)
        print(f"# {faults.who}: {faults.runs} of {planned} points, {faults.hits} hit, "
              f"{faults.ran} ran, {faults.refused} refused for want of the log")
        for kind, text in PROMISES.items():
            tap.ok(not faults.wrong.get(kind), f"{faults.who}: {text}", faults.wrong.get(kind, []))
        # The last calls of a run are not always made; of a few runs that may be some.
        tap.ok(faults.hits * 10 + 30 >= faults.runs * 9, f"{faults.who}: the faults were where they "
               "were aimed")
        faults.path.remove()
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: pathfaults.py BELLJAR INJECT PROGRAM...")
    sys.exit(arena.run(sys.argv[1:], body))
