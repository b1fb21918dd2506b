#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pathkills.py BELLJAR ... - eight runs at a time, and whatever works for them dies at any moment.

belljar itself, the scribe and the aide are killed at random while runs go on.  Then the log is
opened again, and must have: every run that left a mark, and every record that an answer has a
receipt for, where the receipt says.  What never got as far as its beginning did not run.

PATHKILLS_S (8) says for how long, TORTURE_SEED repeats the choices.
"""
import json
import os
import random
import subprocess
import sys
import time

import arena
import pathbench
from torture import Tap, stays

SECONDS = float(os.environ.get("PATHKILLS_S", "8"))
SEED = int(os.environ.get("TORTURE_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
JOBS = 8
PAUSE_S = 0.06


class Load:
    """Runs that are on their way, and what became of them."""

    def __init__(self, path):
        self.path, self.chance = path, random.Random(SEED)
        self.running, self.number = [], 0
        self.accounts, self.outputs, self.refused = [], [], []
        self.killed = {"belljar": 0, "belljar-scribe": 0, "belljar-gate": 0}

    def fill(self):
        while len(self.running) < JOBS:
            self.number += 1
            name = f"run{self.number}"
            # Every other one waits for its receipt; to a file, so that nobody waits for a reader.
            options = ["--json"] if self.number % 2 else []
            out = open(f"{pathbench.TOP}/out-{name}", "wb+")
            process = subprocess.Popen(self.path.command(name, *options), env=self.path.env,
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            self.running.append((name, process, out))

    def gather(self, wait=False):
        left = []
        for name, process, out in self.running:
            if wait:
                process.wait(timeout=pathbench.LIMIT_S)
            if process.poll() is None:
                left.append((name, process, out))
                continue
            out.seek(0)
            self.keep(name, out.read())
            out.close()
            os.remove(out.name)
        self.running = left

    def keep(self, name, output):
        self.outputs.append(output)
        if b"nothing was run" in output:
            self.refused.append(name)
        for line in output.split(b"\n"):
            if line.startswith(b'{"schema"'):
                try:
                    self.accounts.append(json.loads(line))
                except ValueError:
                    pass  # killed in the middle of a word

    def strike(self):
        kind = self.chance.choice(list(self.killed))
        pids = [p.pid for _, p, _ in self.running] if kind == "belljar" \
            else pathbench.processes(kind)
        if pids:
            self.killed[kind] += pathbench.strike([self.chance.choice(pids)])


def load_and_kill(path):
    load = Load(path)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        load.fill()
        time.sleep(load.chance.random() * PAUSE_S)
        load.strike()
        load.gather()
    load.gather(wait=True)
    return load


def judge(tap, path, load):
    marked, begun, records = path.marked(), path.begun(), path.records()
    receipts = [a for a in load.accounts if a["receipt"] or a["receipt_started"]]
    print(f"# {load.number} runs, {len(marked)} left a mark, {len(begun)} began, "
          f"{len(receipts)} have receipts, {len(load.refused)} refused; killed: {load.killed}; "
          f"{len(records)} records")
    unwritten = sorted(marked - begun.keys())
    tap.ok(not unwritten, "what ran is in the log", unwritten)
    lost = [line for account in receipts for line in path.lost(account, records)]
    tap.ok(not lost, "every receipt's record is where the receipt says", lost)
    lying = sorted(set(load.refused) & marked)
    tap.ok(not lying, "what was refused did not run", lying)
    leaks = pathbench.leaked(*load.outputs)
    tap.ok(not leaks, "the credential never came out", leaks)
    odd = path.odd_stories()
    tap.ok(not odd, "each run has one beginning that counts and at most one end", odd)
    open_calls = [i for i, s in path.stories().items() if s[-1] == "started"]
    tap.ok(not open_calls, "whatever began has an end: finished, or aborted", open_calls)
    tap.ok(len(marked) > 5 and len(receipts) > 2 and all(load.killed.values()),
           "enough of everything happened to say so")


def body(groups, belljar, *_):
    print(f"# TORTURE_SEED={SEED}")
    tap = Tap()
    path = pathbench.Path(belljar, "kills")
    path.run("first")
    pathbench.end_scribes()
    before = arena.everything(groups)
    load = load_and_kill(path)
    pathbench.end_scribes()
    last = path.run("last", "--json")
    tap.ok(last.returncode == 0, "afterwards a run works", [repr(last.stderr[:500])])
    load.keep("last", last.stdout)
    complaint = path.verify()
    tap.ok(not complaint, "the log verifies", [complaint])
    judge(tap, path, load)
    pathbench.end_scribes()
    left = [i for i in arena.leftovers(before, groups, tolerate=stays) if not stays(i)]
    tap.ok(not left, "nothing was left", left)
    path.remove()
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: pathkills.py BELLJAR PROGRAM...")
    sys.exit(arena.run(sys.argv[1:], body))
