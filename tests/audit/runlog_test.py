#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""runlog_test.py BELLJAR: whatever happens to the log, nothing that belljar run starts is not in it.

Each run leaves a mark outside of its box when it really runs (--write).  Marks are compared with
the log: a mark without a record of its beginning is what must never be.
"""
import ctypes
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from audittap import Skip, run_wanted

BELLJAR = os.path.realpath(sys.argv[1])
LIMIT_S = 60


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def wait_for(truth, what="it did not happen"):
    until = time.monotonic() + LIMIT_S
    while not truth():
        check(time.monotonic() < until, what)
        time.sleep(0.02)


class Place:
    """A directory with a log, and one for marks."""

    def __init__(self, audit=None):
        self.dir = tempfile.mkdtemp(prefix="belljar-runlog-", dir="/var/tmp")
        self.marks = f"{self.dir}/marks"
        os.mkdir(self.marks)
        os.chmod(self.marks, 0o777)
        self.audit = audit or f"{self.dir}/state/audit"
        self.env = {"PATH": "/usr/bin:/bin", "HOME": self.dir, "BELLJAR_POLICY": "",
                    "BELLJAR_STATE": f"{self.dir}/state", "BELLJAR_AUDIT": self.audit}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.scribes():
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not self.scribes())
        shutil.rmtree(self.dir, ignore_errors=True)

    def scribes(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as text:
                    words = text.read().split(b"\0")
            except OSError:
                continue
            if words[0] == b"belljar-scribe" and os.fsencode(os.path.realpath(self.audit)) in words:
                found.append(int(path.split("/")[2]))
        return found

    def start(self, name, *options, belljar=BELLJAR, sleep="0"):
        words = [belljar, "run", "--write", f"{self.marks}:/marks", *options]
        if os.geteuid() != 0:
            words += ["--allow-degraded", "memory,processes,cpu"]
        return subprocess.Popen([*words, "--", "/bin/sh", "-c", f"echo > /marks/{name}; sleep {sleep}"],
                                env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, name, *options, **more):
        process = self.start(name, *options, **more)
        out, err = process.communicate(timeout=LIMIT_S)
        return process.returncode, out, err

    def marked(self):
        return set(os.listdir(self.marks))

    def records(self):
        whole = b""
        for path in sorted(glob.glob(f"{self.audit}/log/*.jsonl")):
            with open(path, "rb") as text:
                whole += text.read()
        return [json.loads(line) for line in whole.rstrip(b"\0").split(b"\n")[:-1]]

    def begun(self):
        """Marks of the runs that the log says began."""
        return {json.loads(r["args"])["command"][2].split("/marks/")[1].split(";")[0]
                for r in self.records() if r["kind"] == "started"}

    def check(self):
        unwritten = self.marked() - self.begun()
        check(not unwritten, f"ran, and is not in the log: {sorted(unwritten)[:5]}")

    def verify(self):
        done = subprocess.run([BELLJAR, "audit", "verify", "--log", self.audit],
                              env=self.env, capture_output=True, text=True)
        check(done.returncode == 0, done.stdout + done.stderr)


def a_run_has_its_beginning_and_its_end():
    with Place() as place:
        check(place.run("one")[0] == 0)
        # Without --json nobody waits for the end to be written.
        wait_for(lambda: place.records()[-1]["kind"] == "finished")
        kinds = [r["kind"] for r in place.records()]
        check(kinds == ["started_up", "policy_loaded", "started", "finished"], kinds)
        check(place.marked() == {"one"} == place.begun())
        code, out, _ = place.run("two", "--json")
        answer = json.loads(out)
        check(code == 0 and answer["receipt"] and answer["receipt_started"], out)
        check(place.records()[answer["receipt"]["index"]]["id"] == answer["id"])
        check(place.records()[answer["receipt_started"]["index"]]["kind"] == "started")


def without_a_scribe_nothing_runs():
    with Place() as place:
        lone = f"{place.dir}/belljar"
        shutil.copy(BELLJAR, lone)
        code, _, err = place.run("one", belljar=lone)
        check(code == 126 and "the audit log cannot be written" in err, (code, err))
        check(place.marked() == set(), "it ran")
        # The same program with the scribe beside it does run.
        for name in ("belljar-scribe", "belljar-gate"):
            os.symlink(f"{os.path.dirname(BELLJAR)}/{name}", f"{place.dir}/{name}")
        check(place.run("two", belljar=lone)[0] == 0)
        check(place.marked() == {"two"} == place.begun())


def a_scribe_that_is_killed_again_and_again_hides_no_run():
    with Place() as place:
        running, number = [], 0
        until = time.monotonic() + 8
        while time.monotonic() < until and number < 300:
            while len(running) < 3:
                number += 1
                running.append(place.start(f"run{number}"))
            for pid in place.scribes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.03)
            running = [p for p in running if p.poll() is None]
        for process in running:
            process.communicate(timeout=LIMIT_S)
        code, _, err = place.run("last")
        check(code == 0, err)
        wait_for(lambda: place.records()[-1]["kind"] == "finished")
        print(f"# {number} runs, {len(place.marked())} of them got to run", flush=True)
        check(len(place.marked()) > 5)
        place.check()
        place.verify()


def mount_small(path, size):
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir(path, 0o700)
    if libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", 0, f"size={size},mode=700".encode()):
        raise Skip("no tmpfs: " + os.strerror(ctypes.get_errno()))
    return libc


def on_a_full_disk_nothing_runs_until_there_is_room():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Place() as place:
        place.audit = f"{place.dir}/small/audit"
        place.env["BELLJAR_AUDIT"] = place.audit
        libc = mount_small(f"{place.dir}/small", "24M")
        try:
            check(place.run("before")[0] == 0)
            with open(f"{place.dir}/small/filler", "wb") as out:
                try:
                    while True:
                        out.write(bytes(65536))
                        out.flush()
                except OSError:
                    pass
            # The log writes ahead: some more may fit.
            refused = None
            for number in range(4000):
                code, _, err = place.run(f"full{number}")
                if code == 126:
                    refused = err
                    break
                check(code == 0, err)
            check(refused and "nothing was run" in refused, refused)
            check(f"full{number}" not in place.marked(), "it ran")
            os.remove(f"{place.dir}/small/filler")
            wait_for(lambda: place.run("after")[0] == 0)
            place.check()
            place.verify()
        finally:
            for pid in place.scribes():
                os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not place.scribes())
            libc.umount2(os.fsencode(f"{place.dir}/small"), 2)


def a_scribe_that_does_not_answer_is_not_waited_for_for_ever():
    with Place() as place:
        check(place.run("first")[0] == 0)
        for pid in place.scribes():
            os.kill(pid, signal.SIGSTOP)
        code, _, err = place.run("stopped")
        check(code == 126 and "did not answer" in err, (code, err))
        check("stopped" not in place.marked(), "it ran")
        for pid in place.scribes():
            os.kill(pid, signal.SIGCONT)
        check(place.run("again")[0] == 0)
        place.check()


def a_belljar_that_is_killed_leaves_an_aborted_run():
    with Place() as place:
        process = place.start("long", sleep="60")
        wait_for(lambda: "long" in place.marked())
        process.kill()
        process.wait()
        wait_for(lambda: place.records()[-1]["kind"] == "aborted")
        place.check()


TESTS = [
    a_run_has_its_beginning_and_its_end,
    without_a_scribe_nothing_runs,
    a_scribe_that_is_killed_again_and_again_hides_no_run,
    on_a_full_disk_nothing_runs_until_there_is_room,
    a_scribe_that_does_not_answer_is_not_waited_for_for_ever,
    a_belljar_that_is_killed_leaves_an_aborted_run,
]


sys.exit(run_wanted(TESTS, 2))
