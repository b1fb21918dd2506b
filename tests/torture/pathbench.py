# SPDX-License-Identifier: Apache-2.0
"""pathbench.py - one belljar run after the other in the arena, and what its log says of each.

Each run has a name.  Its program leaves a mark of that name in a directory it may write to, and
prints a credential that only it knows how to put together.  So what ran, what the log says, and
what came out can be compared.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time

SECRET = "AKIA" + "QWERTYUIOP234567"
# In two parts: belljar's own words, which are logged, do not have it.
PROGRAM = (f": > /marks/%s; printf '%%s%%s\\n' {SECRET[:2]} {SECRET[2:]}; "
           f"printf '%%s%%s' {SECRET[:2]} {SECRET[2:]} >&2")
CLEAN = "[REDACTED:aws-access-key-id]"
TOP = "/run/arena"
# A new scribe says "aborted" of what the one before it had open; whoever is still there may begin
# again if nothing ran yet, or tell the end after all.
STORY = re.compile(r"started( aborted started)*( aborted)?( finished)?")
LIMIT_S = 60


class Path:
    """A state directory with a log, and a directory for marks."""

    def __init__(self, belljar, name):
        self.belljar, self.dir = belljar, f"{TOP}/{name}"
        self.marks, self.audit = f"{self.dir}/marks", f"{self.dir}/audit"
        os.mkdir(self.dir)
        os.mkdir(self.marks)
        os.chmod(self.marks, 0o777)
        self.env = {"PATH": "/usr/bin:/bin", "HOME": self.dir, "BELLJAR_POLICY": "",
                    "BELLJAR_STATE": self.dir, "BELLJAR_AUDIT": self.audit}

    def remove(self):
        end_scribes()
        shutil.rmtree(self.dir)

    def command(self, name, *options):
        return [self.belljar, "run", "--wall", "5s", "--disk", "1m", "--write",
                f"{self.marks}:/marks", *options, "--", "/bin/sh", "-c", PROGRAM % name]

    def run(self, name, *options):
        return subprocess.run(self.command(name, *options), env=self.env, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT_S)

    def marked(self):
        return set(os.listdir(self.marks))

    def lines(self):
        whole = b""
        for path in sorted(glob.glob(f"{self.audit}/log/*.jsonl")):
            with open(path, "rb") as text:
                whole += text.read()
        return whole.rstrip(b"\0").split(b"\n")[:-1]

    def records(self):
        return [json.loads(line) for line in self.lines()]

    def begun(self):
        """{name: id} of the runs that the log says began."""
        return {name_in(r): r["id"] for r in self.records() if r["kind"] == "started"}

    def verify(self):
        """"" or what is wrong."""
        done = subprocess.run([self.belljar, "audit", "verify", "--log", self.audit],
                              env=self.env, capture_output=True, text=True, timeout=LIMIT_S)
        return "" if done.returncode == 0 else (done.stdout + done.stderr).strip()

    def unwritten(self):
        """What ran and is not in the log."""
        return sorted(self.marked() - self.begun().keys())

    def stories(self):
        """{id: what the log says of it, in order}"""
        found = {}
        for record in self.records():
            if record.get("id"):
                found.setdefault(record["id"], []).append(record["kind"])
        return found

    def odd_stories(self):
        return [f"{i}: {' '.join(s)}" for i, s in self.stories().items()
                if not STORY.fullmatch(" ".join(s))]

    @staticmethod
    def lost(account, records):
        """What an answer said is in the log, and is not there."""
        wrong = []
        for field, kinds in (("receipt_started", ("started",)), ("receipt", ("finished", "denied"))):
            receipt = account.get(field)
            if not receipt:
                continue
            at = receipt["index"]
            if at >= len(records) or records[at]["kind"] not in kinds or \
                    records[at]["id"] != account["id"]:
                wrong.append(f"{field} {at} of {account['id']} is not in the log")
        return wrong


def name_in(record):
    return json.loads(record["args"])["command"][2].split("/marks/")[1].split(";")[0]


def leaked(*outputs):
    """The raw credential in any of them, or the better part of it."""
    return [f"the credential came out: {o[:200]!r}" for o in outputs if SECRET[:14].encode() in o]


def processes(name):
    """Ours: the arena has a pid namespace of its own."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as text:
                words = text.read().split(b"\0")
        except OSError:
            continue
        if words[0] == name.encode():
            found.append(int(pid))
    return found


def strike(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return len(pids)


def end_scribes():
    until = time.monotonic() + LIMIT_S
    while strike(processes("belljar-scribe")) and time.monotonic() < until:
        time.sleep(0.005)
