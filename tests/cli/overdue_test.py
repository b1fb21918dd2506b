#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""overdue_test.py BELLJAR: a program ends at its time also when belljar itself is stopped or stands still."""
import json
import os
import pty
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from patience import scratch  # noqa: E402
from sentences import check, tell  # noqa: E402

BELLJAR = os.path.realpath(sys.argv[1])
PATIENCE_S = 60
POLICY = """version: 1
clients: { me: { uid: any, tools: [wait, flood] } }
defaults: { limits: { wall: 500ms } }
tools:
  wait: { kind: command, exec: [sleep, "1000"], rate: 100/s }
  flood: { kind: command, exec: [yes, a line of a program that nobody reads], rate: 100/s }
"""


def command(where, tool, *options):
    with open(where + "/policy.yaml", "w", encoding="ascii") as file:
        file.write(POLICY)
    return [BELLJAR, "call", tool, "--policy", where + "/policy.yaml", "--state", where + "/meter", "--audit",
            where + "/log", *options]


def descendants(pid):
    """With what they are called."""
    found, at = {}, [pid]
    while at:
        one = at.pop()
        try:
            with open("/proc/%d/task/%d/children" % (one, one), encoding="ascii") as file:
                below = [int(word) for word in file.read().split()]
        except FileNotFoundError:
            continue
        for child in below:
            try:
                with open("/proc/%d/comm" % child, encoding="ascii") as file:
                    found[child] = file.read().strip()
            except FileNotFoundError:
                continue
        at += below
    return found


def wait_for(truth, what):
    until = time.monotonic() + PATIENCE_S
    while not truth():
        check(time.monotonic() < until, what)
        time.sleep(0.02)


def goes_while_stopped(words, env):
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    wait_for(lambda: "sleep" in descendants(process.pid).values() or process.poll() is not None, "it began nothing")
    check(process.poll() is None, "it has ended")
    program = [pid for pid, name in descendants(process.pid).items() if name == "sleep"]
    os.kill(process.pid, signal.SIGSTOP)
    wait_for(lambda: not os.path.exists("/proc/%d" % program[0]), "the program goes on without its warden")
    os.kill(process.pid, signal.SIGCONT)
    out, err = process.communicate(timeout=PATIENCE_S)
    answer = json.loads(out)
    check((answer["status"], answer["kill_reason"], answer["exit_code"]) == ("timeout", "wall", None), (out, err))


def one_of_belljar_run_goes_while_that_is_stopped():
    with scratch() as where:
        goes_while_stopped([BELLJAR, "run", "--json", "--wall", "500ms", "--", "sleep", "1000"],
                           dict(os.environ, BELLJAR_STATE=where))


def one_of_belljar_call_goes_while_that_is_stopped():
    with scratch() as where:
        goes_while_stopped(command(where, "wait", "--json"), dict(os.environ, BELLJAR_STATE=where))


def one_goes_while_nobody_reads_the_terminal():
    with scratch() as where:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(command(where, "flood"), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                   env=dict(os.environ, BELLJAR_STATE=where))
        os.close(theirs)
        try:
            wait_for(lambda: "yes" in descendants(process.pid).values(), "it began nothing")
            program = [pid for pid, name in descendants(process.pid).items() if name == "yes"]
            wait_for(lambda: not os.path.exists("/proc/%d" % program[0]), "the program goes on")
        finally:
            process.kill()
            process.wait()
            os.close(ours)


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP a box without --allow-degraded is root's here")
        return 0
    if not os.path.exists("/proc/self/task/%d/children" % os.getpid()):
        print("1..0 # SKIP this kernel does not list children")
        return 0
    return tell([
        one_of_belljar_run_goes_while_that_is_stopped,
        one_of_belljar_call_goes_while_that_is_stopped,
        one_goes_while_nobody_reads_the_terminal,
    ])


sys.exit(main())
