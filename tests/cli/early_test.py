#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""early_test.py BELLJAR: whatever becomes of the box that is begun before its call is judged, the call has a box, and one
that nobody wants leaves nothing.

A call that waits for its arguments on standard input has begun its box: its launcher is its only child then."""
import glob
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from patience import scratch  # noqa: E402
from sentences import Skip, check, tell  # noqa: E402

BELLJAR = os.path.realpath(sys.argv[1])
POLICY = """version: 1
clients: { me: { uid: any, tools: [say, code] } }
tools:
  say:
    kind: command
    exec: [echo, "{word}"]
    args: { word: { type: string } }
    rate: 1000/s
  code: { kind: code, languages: [bash], limits: { wall: 60s } }
"""
PATIENCE_S = 60


def groups(pid):
    """Control groups that were made by this process, of either version."""
    return [path for path in glob.glob("/sys/fs/cgroup/**/belljar-%d-*" % pid, recursive=True) if os.path.isdir(path)]


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        raise Skip("this kernel does not list children") from None


class Call:
    def __init__(self, where, tool="say"):
        with open(where + "/policy.yaml", "w", encoding="ascii") as file:
            file.write(POLICY)
        words = ["--policy", where + "/policy.yaml", "--state", where + "/meter", "--audit", where + "/log"]
        self.process = subprocess.Popen(
            [BELLJAR, "call", tool, "--json", "--args", "-", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=dict(os.environ, BELLJAR_STATE=where + "/state"))
        self.launcher = self.find_launcher()

    def find_launcher(self):
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            found = children(self.process.pid)
            if found:
                time.sleep(0.1)  # it has come to rest by then, mostly
                return found[0]
            time.sleep(0.002)
        raise AssertionError("it has begun no box")

    def end(self, word="hello"):
        out, err = self.process.communicate(json.dumps({"word": word}), timeout=PATIENCE_S)
        check(out, err)
        return self.process.returncode, json.loads(out)


def a_call_has_the_box_that_was_begun_for_it():
    with scratch() as where:
        call = Call(where)
        before = groups(call.process.pid)
        code, answer = call.end()
        check((code, answer["stdout"]["data"]) == (0, "hello\n"), answer)
        check(before, "its groups could not be seen")
        check(not groups(call.process.pid), groups(call.process.pid))


def one_whose_launcher_was_killed_has_another():
    with scratch() as where:
        call = Call(where)
        os.kill(call.launcher, signal.SIGKILL)
        time.sleep(0.05)
        code, answer = call.end()
        check((code, answer["stdout"]["data"]) == (0, "hello\n"), answer)
        check(not groups(call.process.pid), groups(call.process.pid))


def names_of(pids):
    names = []
    for pid in pids:
        try:
            with open("/proc/%d/comm" % pid, encoding="ascii") as file:
                names.append(file.read().strip())
        except FileNotFoundError:
            pass
    return names


def one_that_does_not_suit_is_let_go_of():
    """Code has a helper, which bears its box; the launcher that was begun has no place beside it."""
    with scratch() as where:
        call = Call(where, "code")
        call.process.stdin.write(json.dumps({"language": "bash", "code": "sleep 1000"}))
        call.process.stdin.close()
        call.process.stdin = None
        until = time.monotonic() + PATIENCE_S
        while "belljar" not in names_of(children(call.process.pid)) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.3)
        names = names_of(children(call.process.pid))
        call.process.terminate()
        call.process.communicate(timeout=PATIENCE_S)
        check("belljar" in names and "belljar-call" not in names, names)


def one_whose_launcher_stands_still_is_ended_with_words():
    """For as long as a box may take; it is not taken for one that ran."""
    with scratch() as where:
        call = Call(where)
        os.kill(call.launcher, signal.SIGSTOP)
        code, answer = call.end()
        check(code == 125 or answer["stdout"]["data"] == "hello\n", (code, answer))
        check(not os.path.exists("/proc/%d" % call.launcher), "the launcher is still there")


def a_refused_call_leaves_nothing():
    with scratch() as where:
        call = Call(where, "no-such-tool")
        begun = time.monotonic()
        code, answer = call.end()
        check((code, answer["status"]) == (126, "denied"), answer)
        check(time.monotonic() - begun < 4, "it waited until something was killed")
        check(not os.path.exists("/proc/%d" % call.launcher), "the launcher is still there")
        check(not groups(call.process.pid), groups(call.process.pid))


def one_that_is_killed_takes_its_box_along():
    with scratch() as where:
        call = Call(where)
        call.process.kill()
        call.process.communicate()
        until = time.monotonic() + PATIENCE_S
        while os.path.exists("/proc/%d" % call.launcher) and time.monotonic() < until:
            time.sleep(0.02)
        check(not os.path.exists("/proc/%d" % call.launcher), "the launcher is still there")


def whatever_moment_its_launcher_is_killed_at_it_says_what_became_of_it():
    told = {"success": 0}
    with scratch() as where:
        for i in range(80):
            call = Call(where)
            call.process.stdin.write('{"word": "hello"}')
            call.process.stdin.close()
            call.process.stdin = None
            time.sleep(i * 0.00005)
            try:
                os.kill(call.launcher, signal.SIGKILL)
            except ProcessLookupError:
                pass
            out, err = call.process.communicate(timeout=PATIENCE_S)
            answer = json.loads(out) if out else {"status": err}
            check(answer["status"] in ("success", "unknown"), answer)
            check(answer["status"] != "success" or answer["stdout"]["data"] == "hello\n", answer)
            told[answer["status"]] = told.get(answer["status"], 0) + 1
    check(told["success"] > 0, told)


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP only root's box is begun early")
        return 0
    return tell([
        a_call_has_the_box_that_was_begun_for_it,
        one_whose_launcher_was_killed_has_another,
        one_that_does_not_suit_is_let_go_of,
        one_whose_launcher_stands_still_is_ended_with_words,
        a_refused_call_leaves_nothing,
        one_that_is_killed_takes_its_box_along,
        whatever_moment_its_launcher_is_killed_at_it_says_what_became_of_it,
    ])


sys.exit(main())
