#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""nurseries.py SUPERDRIVE FAKEROLES: the supervisor and a nursery that copies keepers, well or not."""
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tapping  # noqa: E402
from fakeservice import Service, is_settled  # noqa: E402


def children(pid):
    """pid -> state"""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stat:
                words = stat.read().rpartition(")")[2].split()
            if int(words[1]) == pid:
                found[int(name)] = words[0]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def zombies(s):
    return [pid for pid, state in children(s.process.pid).items() if state == "Z"]


def start(how):
    s = Service(before=lambda s: s.put("nursery.how", how))
    tapping.wait_until(lambda: is_settled(s))
    return s


def copies(s):
    return [pid for pid in s.starts("keeper") if s.words("keeper", pid)[0].startswith("a copy")]


def finish(t, s):
    t.check(s.end() == 0, s.lines())
    t.check(not s.left() and not [pid for pid in s.starts("nursery") if tapping.is_alive(pid)], s.left())
    s.forget()


def a_copy_is_our_child_and_is_reaped(t):
    s = start("good")
    tapping.wait_until(lambda: len(copies(s)) == 1)
    pid = copies(s)[0]
    t.check(children(s.process.pid).get(pid) in ("S", "R"), children(s.process.pid))
    os.kill(pid, signal.SIGKILL)
    tapping.wait_until(lambda: not zombies(s) and pid not in children(s.process.pid))
    tapping.wait_until(lambda: is_settled(s))
    t.check("a keeper was killed by signal 9" in s.lines(), s.lines())
    finish(t, s)


def a_nursery_that_ends_is_reaped_and_comes_back(t):
    s = start("good")
    tapping.wait_until(lambda: len(s.alive("nursery")) == 1 and copies(s))
    old, kept = s.alive("nursery")[0], copies(s)[0]
    os.kill(old, signal.SIGKILL)
    tapping.wait_until(lambda: old not in children(s.process.pid))
    t.check(tapping.is_alive(kept), "its copies live on")
    os.kill(kept, signal.SIGKILL)
    tapping.wait_until(lambda: s.alive("nursery") and s.alive("nursery")[0] != old and len(copies(s)) >= 2)
    tapping.wait_until(lambda: is_settled(s) and not zombies(s))
    finish(t, s)


def one_that_does_not_stay_up_is_done_without(t):
    s = Service(before=lambda s: s.put("nursery.fail", "7"))
    tapping.wait_until(lambda: is_settled(s))
    tapping.wait_until(lambda: "until the policy is read again there is none" in s.lines())
    tapping.wait_until(lambda: len(s.alive("keeper")) == 2)
    t.check(not copies(s), s.lines())
    tapping.wait_until(lambda: not zombies(s))
    s.take("nursery.fail")
    s.put("nursery.how", "good")
    s.process.send_signal(signal.SIGHUP)
    tapping.wait_until(lambda: s.ask()[3] == 2)
    for pid in s.alive("keeper"):
        os.kill(pid, signal.SIGKILL)
    tapping.wait_until(lambda: copies(s) and is_settled(s))
    finish(t, s)


def what_a_bad_one_has_made_serves_nobody_and_is_reaped(how, words):
    def body(t):
        s = Service(before=lambda s: s.put("nursery.how", how))
        tapping.wait_until(lambda: words in s.lines() and copies(s))
        made, nursery = copies(s)[0], s.starts("nursery")[0]
        # It has ended by itself: nobody has the other end of its sockets.
        tapping.wait_until(lambda: not tapping.is_alive(made) and not tapping.is_alive(nursery))
        tapping.wait_until(lambda: not {made, nursery} & set(children(s.process.pid)))
        finish(t, s)

    body.__name__ = "what_a_%s_one_has_made_serves_nobody_and_is_reaped" % how
    return body


tapping.run([
    a_copy_is_our_child_and_is_reaped,
    a_nursery_that_ends_is_reaped_and_comes_back,
    one_that_does_not_stay_up_is_done_without,
    what_a_bad_one_has_made_serves_nobody_and_is_reaped("dying", "the nursery is gone"),
    what_a_bad_one_has_made_serves_nobody_and_is_reaped("nonsense", "the nursery makes no sense"),
    what_a_bad_one_has_made_serves_nobody_and_is_reaped("foreign", "a keeper that is none of ours"),
    what_a_bad_one_has_made_serves_nobody_and_is_reaped("mute", "the nursery does not answer"),
])
