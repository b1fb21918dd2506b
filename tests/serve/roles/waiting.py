#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""waiting.py BELLJAR WHO - keepers of sessions that wait, and the nursery that they come from."""
import os
import signal
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import ROLES, command_of, parents  # noqa: E402
from sessioning import Sessions, finish, start  # noqa: E402
from tapping import is_alive, run, wait_until  # noqa: E402

ROLES["nursery"] = ("belljar-gate", "nursery")
POLICY = """\
version: 1
{s.allow}
serve: {{ loopback_without_key: true, concurrency: 2, sessions_ready: {s.ready}, sessions: 8 }}
clients:
  local: {{ uid: any, tools: ["*"] }}
tools:
  sh: {{ kind: command, programs: [echo, sleep], rate: unlimited, limits: {{ wall: {s.wall} }}, sessions: {{ allow: true }} }}
  once: {{ kind: code, languages: [bash], rate: unlimited }}
  py: {{ kind: code, languages: [{s.languages}], rate: unlimited, sessions: {{ allow: true }} }}
"""


class Waiting(Sessions):
    policy, ready, languages, wall = POLICY, 1, "python, bash", "50s"

    def waiting(self):
        """Keepers for sessions that have their slot."""
        table, slots = parents(), self.pids("slot")
        return len(self.pids("keeper")) - 2 - self.n_open() if len(slots) and table else 0

    def n_open(self):
        return len(self.ask("GET", "/v1/sessions")[1]["sessions"])

    def metrics(self):
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def has_nursery(self):
        return len(self.pids("nursery")) == 1


class NoneWaits(Waiting):
    ready = 0


def stopped(s, deed):
    """While the supervisor can start nobody."""
    os.kill(s.process.pid, signal.SIGSTOP)
    try:
        return deed()
    finally:
        os.kill(s.process.pid, signal.SIGCONT)


def a_session_finds_its_keeper_and_its_slot_waiting(t):
    s = start(Waiting)
    wait_until(lambda: s.waiting() == 1 and len(s.pids("slot")) >= 3 * 2)
    # Nobody makes keepers, nobody makes slots: everything must be there.
    warden = s.pids("warden")[0]
    os.kill(warden, signal.SIGSTOP)
    try:
        status, answer = stopped(s, s.try_open)
    finally:
        os.kill(warden, signal.SIGCONT)
    t.check(status == 201, answer)
    path = "/v1/sessions/" + answer["id"]
    status, answer = s.ask("POST", path + "/code", {"code": "6 * 7"})
    t.check(status == 200 and answer["result"] == "42" and not answer["state_lost"], answer)
    wait_until(lambda: s.waiting() == 1)  # its place is filled
    status, answer = s.try_open("sh")  # of another tool: the slot that waits is not for it
    t.check(status == 201, answer)
    status, answer = s.ask("POST", "/v1/sessions/%s/exec" % answer["id"], {"argv": ["echo", "hi"]})
    t.check(status == 200 and answer["output"] == "hi\n", answer)
    finish(t, s)


def after_a_reload_who_waits_comes_from_another_nursery(t):
    s = start(Waiting)
    wait_until(lambda: s.waiting() == 1 and s.has_nursery())
    old = s.pids("nursery")
    s.languages = "python"
    s.put_policy()
    s.process.send_signal(signal.SIGHUP)
    # Nobody opens a session meanwhile.
    wait_until(lambda: s.has_nursery() and s.pids("nursery") != old)
    wait_until(lambda: s.waiting() == 1)
    status, answer = s.try_open()
    t.check(status == 201, answer)
    finish(t, s)


def without_one_that_waits_it_takes_the_supervisor(t):
    s, heard = start(NoneWaits), []
    asking = threading.Thread(target=lambda: heard.append(s.try_open()))

    def ask_and_wait():
        asking.start()
        asking.join(1)
        return list(heard)

    t.check(stopped(s, ask_and_wait) == [], "nobody was there")
    asking.join()
    t.check(heard[0][0] == 201, heard)
    finish(t, s)


def keepers_of_sessions_are_copies(t):
    s = start(Waiting)
    wait_until(s.has_nursery)
    before = set(s.pids("keeper"))
    nursery = s.pids("nursery")[0]
    wait_until(lambda: s.waiting() == 1)
    for i in range(3):  # the first may have begun before the nursery was there
        t.check(s.try_open()[0] == 201, s.lines())
        wait_until(lambda: s.waiting() == 1)
    copies = [pid for pid in s.pids("keeper") if pid not in before
              and "--control" in command_of(pid)]
    t.check(len(copies) >= 2, [command_of(pid) for pid in s.pids("keeper")])
    table = parents()
    for pid in copies:
        t.check(table[pid] == s.process.pid, "the supervisor's child")
        links = [os.readlink("/proc/%d/fd/%s" % (pid, fd)) for fd in os.listdir("/proc/%d/fd" % pid)]
        control = os.readlink("/proc/%d/fd/3" % nursery)
        t.check(control not in links, (control, links))
    # Its end is the end of nobody else, and there is another.
    os.kill(nursery, signal.SIGKILL)
    wait_until(lambda: not is_alive(nursery))
    t.check(all(is_alive(pid) for pid in copies), "sessions go on")
    t.check(s.n_open() == 3, s.lines())
    t.check(s.try_open()[0] == 201, s.lines())
    wait_until(lambda: s.has_nursery() and s.pids("nursery")[0] != nursery)
    finish(t, s)


def a_new_policy_has_a_nursery_of_its_own(t):
    s = start(Waiting)
    wait_until(lambda: s.has_nursery() and s.waiting() == 1)
    old = s.pids("nursery")[0]
    s.languages = "bash"
    s.put_policy()
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "reloaded" in s.lines() and not is_alive(old))
    for _ in range(3):
        status, answer = s.try_open()
        t.check(status == 201 and answer["language"] == "bash", answer)
    wait_until(lambda: s.has_nursery() and s.pids("nursery")[0] != old)
    finish(t, s)


def a_call_that_was_overtaken_by_a_tighter_policy_is_told_to_try_again(t):
    """The warden goes by the new one before the keeper of the old one has asked for a box."""
    s = start(Waiting)
    wait_until(lambda: s.has_nursery() and s.waiting() == 1)
    keepers, heard = s.pids("keeper"), []

    def call():
        return s.ask("POST", "/v1/tools/sh/call", {"arguments": {"command": "echo hi"}})[1]

    for pid in keepers:
        os.kill(pid, signal.SIGSTOP)
    try:
        thread = threading.Thread(target=lambda: heard.append(call()))
        thread.start()
        wait_until(lambda: "\nbelljar_keepers_busy 1\n" in s.metrics())
        s.wall = "10s"
        s.put_policy()
        s.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "reloaded" in s.lines())
    finally:
        for pid in keepers:
            os.kill(pid, signal.SIGCONT)
    thread.join(60)
    why = heard[0]["why"]
    t.check(why and why["rule"] == "ceiling" and not why["permanent"] and "try again" in why["hint"], heard)
    t.check(call()["data"] == "hi\n", s.lines())
    finish(t, s)


def who_is_of_a_policy_that_went_goes_without_a_word(t):
    """Policies follow one another faster than what each wants can be made."""
    s = start(Waiting)
    for n in range(30):
        s.languages = "python, bash" if n % 2 else "python"
        s.put_policy()
        s.process.send_signal(signal.SIGHUP)
        wait_until(lambda: s.lines().count("reloaded") > n)
    s.languages = "bash"
    s.put_policy()
    s.process.send_signal(signal.SIGHUP)
    wait_until(lambda: s.lines().count("reloaded") > 30)
    wait_until(lambda: s.has_nursery() and s.waiting() == 1)
    for words in ("ended with", "Broken pipe", "no template"):
        t.check(words not in s.lines(), s.lines())
    finish(t, s)


run([
    a_session_finds_its_keeper_and_its_slot_waiting,
    after_a_reload_who_waits_comes_from_another_nursery,
    without_one_that_waits_it_takes_the_supervisor,
    keepers_of_sessions_are_copies,
    a_new_policy_has_a_nursery_of_its_own,
    a_call_that_was_overtaken_by_a_tighter_policy_is_told_to_try_again,
    who_is_of_a_policy_that_went_goes_without_a_word,
])
