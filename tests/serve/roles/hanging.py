#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""hanging.py BELLJAR WHO - roles that are there and do nothing: /readyz says so, and takes it back."""
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import Load, Service  # noqa: E402
from tapping import run, wait_until  # noqa: E402

BELLJAR, WHO = os.path.realpath(sys.argv[1]), sys.argv[2]


class Few(Service):
    """Two keepers, so that two calls take all there are."""

    def put_policy(self, text=None):
        super().put_policy(text)
        with open(self.dir + "/policy.yaml") as policy:
            super().put_policy(policy.read().replace("concurrency: 4", "concurrency: 2"))

    def missing(self):
        """What /readyz finds to be missing."""
        status, answer = self.ask("GET", "/readyz")
        found = {name for name, check in answer["checks"].items() if not check["ok"]}
        assert (status, answer["ready"]) == ((503, False) if found else (200, True)), answer
        return found

    def call(self, command):
        return self.ask("POST", "/v1/tools/sh/call", {"arguments": {"command": command}})


class Stopped:
    """Processes of a role, while they do nothing."""

    def __init__(self, s, role):
        self.s, self.role, self.pids = s, role, []

    def __enter__(self):
        while True:  # one may be starting another just now
            more = [pid for pid in self.s.pids(self.role) if pid not in self.pids]
            if not more:
                return self
            for pid in more:
                self.tell(pid, signal.SIGSTOP)
            self.pids += more

    def __exit__(self, *_):
        for pid in self.pids:
            self.tell(pid, signal.SIGCONT)

    @staticmethod
    def tell(pid, what):
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            pass


class Calls:
    """Calls at once, whose answers come later."""

    def __init__(self, *calls):
        self.answers = {}
        self.threads = [threading.Thread(target=self.run, args=(i, call))
                        for i, call in enumerate(calls)]
        for thread in self.threads:
            thread.start()

    def run(self, number, call):
        self.answers[number] = call()

    def end(self):
        for thread in self.threads:
            thread.join(120)
        return [self.answers[i] for i in sorted(self.answers)]


def start():
    s = Few(BELLJAR, as_user=WHO == "user")
    wait_until(lambda: s.is_ready() and b"\nbelljar_keepers_ready 2\n" in s.ask("GET", "/metrics")[1])
    wait_until(lambda: s.execute("print(1)")[1].get("output") == "1\n")
    return s


def finish(t, s):
    t.check(s.end() == 0, s.lines())
    wait_until(lambda: not s.left())
    t.check(s.verify()[0] == 0, "the log is whole")
    s.forget()


def a_warden_that_hangs_is_missing_until_it_goes_on(t):
    s = start()
    with Stopped(s, "warden") as stopped:
        wait_until(lambda: "warden" in s.missing())
        t.check(s.ask("GET", "/healthz")[0] == 200, "it is alive nevertheless")
    wait_until(lambda: not s.missing())
    t.check(s.pids("warden") == stopped.pids, "the same goes on")
    t.check("the warden does not answer" in s.lines() and "answers again" in s.lines(), s.lines())
    t.check(s.execute("echo 2", "bash")[1].get("output") == "2\n", s.lines())
    finish(t, s)


def slots_that_hang_are_missing_until_they_go_on(t):
    s = start()
    t.check(not s.missing(), s.missing())
    with Stopped(s, "slot"):
        # Both are for slots that wait in each keeper: for others the warden makes new ones.
        calls = Calls(lambda: s.execute("print(2)"), lambda: s.execute("print(3)"))
        wait_until(lambda: s.missing() == {"slots"})
        # Nobody is left who could be doubted: it stays so.
        end = time.monotonic() + 3
        while time.monotonic() < end:
            t.check(s.missing() == {"slots"}, s.missing())
    wait_until(lambda: not s.missing())
    said = [answer.get("output") for _, answer in calls.end()]
    t.check(said == ["2\n", "3\n"], (calls.answers, s.lines()))
    finish(t, s)


def a_session_whose_slot_hangs_is_over(t):
    """Nobody could kill anything in it: it does not go on as if somebody could."""
    s = start()
    _, opened = s.ask("POST", "/v1/sessions", {"tool_name": "py", "language": "python"})
    place = "/v1/sessions/" + opened["id"]
    enough = {"code": "sum(range(10 ** 6))"}  # its peaks are asked for
    t.check(s.ask("POST", place + "/code", enough)[1]["status"] == "success", opened)
    with Stopped(s, "slot"):
        status, answer = s.ask("POST", place + "/code", enough)  # until nobody expects it any more
        # As a user the slot is asked for processor time, too, and before it: it ends with its box.
        ends = ("unknown", "success") if WHO == "user" else ("success",)
        t.check(status == 200 and answer["status"] in ends, answer)
        wait_until(lambda: s.ask("GET", place)[0] == 410)
        wait_until(lambda: "the slot no longer answers" in s.lines())
    wait_until(lambda: not s.missing())
    finish(t, s)


def nobody_is_missing(t, s, *calls):
    """The twin: the same calls, some of them longer than anybody may be silent, and nobody is stopped."""
    calls = Calls(*calls)
    while any(thread.is_alive() for thread in calls.threads):
        t.check(not s.missing(), s.missing())
        time.sleep(0.05)
    t.check("does not answer" not in s.lines(), s.lines())
    return [answer for _, answer in calls.end()]


def nobody_is_missing_who_works_beside_others(t):
    s = start()
    load = Load(s, 3)
    answers = nobody_is_missing(t, s, lambda: s.execute("sleep 6; echo 2", "bash"))
    load.stop()
    t.check([answer.get("output") for answer in answers] == ["2\n"], answers)
    t.check(load.successes(), "some ran beside")
    t.say("%d calls ran beside" % len(load.successes()))
    finish(t, s)


def nobody_is_missing_who_works_alone(t):
    s = start()
    answers = nobody_is_missing(t, s, lambda: s.call("sleep 6"),
                                lambda: s.execute("sleep 6; echo 3", "bash"))
    t.check([answer["status"] for answer in answers] == ["success"] * 2, answers)
    finish(t, s)


# Each has a service of its own and does little but wait for somebody to be found silent.
run([
    a_warden_that_hangs_is_missing_until_it_goes_on,
    slots_that_hang_are_missing_until_they_go_on,
    a_session_whose_slot_hangs_is_over,
    nobody_is_missing_who_works_beside_others,
    nobody_is_missing_who_works_alone,
], at_once=True)
