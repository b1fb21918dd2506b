#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""early_test.py BELLJAR_CALL: whatever becomes of the helper that was started before its call was judged, the call has
a box.

The helper is the test's own here: a process that begins as belljar's would, and then fails in its own way."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sentences import tell  # noqa: E402

CALL = os.path.realpath(sys.argv[1])
POLICY = """version: 1
clients: { me: { uid: any, tools: [yes] } }
tools:
  yes: { kind: command, exec: [/bin/true] }
"""
BEGUN = b"heard"


def gone_at_once(_end, _pipe):
    pass


def gone_when_it_heard_what_for(end, pipe):
    end.recv(65536)
    os.write(pipe, BEGUN)


def gone_with_it_unread(end, pipe):
    end.recv(65536, socket.MSG_PEEK)
    os.write(pipe, BEGUN)


def talks_nonsense(end, pipe):
    end.recv(65536)
    os.write(pipe, BEGUN)
    end.send(b"x" * 300)
    end.recv(1)


def stays_long(_end, pipe):
    os.close(pipe)
    time.sleep(10)


def become_call(way, pipe, words, env):
    """As belljar does: one end of the socket is the helper's, the other one stays open in the other program."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    helper = os.fork()
    if helper == 0:
        ours.close()
        for fd in range(3):
            os.dup2(os.open("/dev/null", os.O_RDWR), fd)
        signal.alarm(60)
        way(theirs, pipe)
        os._exit(0)
    os.close(pipe)
    theirs.close()
    os.set_inheritable(ours.fileno(), True)
    env["BELLJAR_SLOT"] = f"{ours.fileno()}:{helper}"
    os.execve(CALL, ["belljar", "call", *words], env)


def call(way, tool="yes", code=0):
    """What the helper noted; the call has succeeded, or ended with this code."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:  # the scribe may be at work
        with open(place + "/policy.yaml", "w", encoding="ascii") as file:
            file.write(POLICY)
        words = ["--policy", place + "/policy.yaml", "--state", place + "/meter", "--audit", place + "/log", tool]
        env = dict(os.environ, BELLJAR_STATE=place + "/state")
        here, there = os.pipe()
        done = subprocess.run(
            [sys.executable, __file__, CALL, way.__name__, str(there), *words], pass_fds=[there], capture_output=True,
            text=True, timeout=60, env=env)
        os.close(there)
        with os.fdopen(here, "rb") as file:
            noted = file.read()
        assert done.returncode == code, done
        return noted


def a_call_runs_if_it_is_gone_already():
    call(gone_at_once)


def a_call_runs_if_it_goes_when_it_heard_what_for():
    assert call(gone_when_it_heard_what_for) == BEGUN


def a_call_runs_if_it_goes_and_read_nothing():
    assert call(gone_with_it_unread) == BEGUN


def a_call_runs_if_it_makes_no_sense():
    assert call(talks_nonsense) == BEGUN


def a_refusal_waits_for_nobody():
    begin = time.monotonic()
    call(stays_long, "no-such-tool", 126)
    assert time.monotonic() - begin < 4, "it waited until it killed it"


TESTS = [a_call_runs_if_it_is_gone_already, a_call_runs_if_it_goes_when_it_heard_what_for,
         a_call_runs_if_it_goes_and_read_nothing, a_call_runs_if_it_makes_no_sense, a_refusal_waits_for_nobody]


def main():
    if len(sys.argv) > 2:
        become_call(globals()[sys.argv[2]], int(sys.argv[3]), sys.argv[4:], dict(os.environ))
    if os.geteuid() != 0:
        print("1..0 # SKIP only root has groups for a box everywhere")
        return 0
    return tell(TESTS)


sys.exit(main())
