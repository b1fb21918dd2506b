# SPDX-License-Identifier: Apache-2.0
"""sessioning.py - a real belljar serve whose sessions are looked at: X.py BELLJAR WHO [TEST...]"""
import os
import sys

from living import Service
from tapping import wait_until

BELLJAR, WHO = os.path.realpath(sys.argv[1]), sys.argv[2]


class Sessions(Service):
    policy = ""  # {s.allow}: a member

    def put_policy(self, text=None):
        super().put_policy(text or self.policy.format(s=self))

    def try_open(self, tool="py", **more):
        return self.ask("POST", "/v1/sessions", {"tool_name": tool, **more})

    def open(self, tool="py", **more):
        status, answer = self.try_open(tool, **more)
        if status != 201:
            raise AssertionError(answer)
        return answer["id"]

    def try_run(self, name, code):
        return self.ask("POST", "/v1/sessions/%s/code" % name, {"code": code})[1]

    def run(self, name, code):
        answer = self.try_run(name, code)
        if not answer.get("success"):
            raise AssertionError(answer)
        return answer["result"]

    def close(self, name):
        return self.ask("DELETE", "/v1/sessions/" + name)[0]


def start(kind):
    s = kind(BELLJAR, as_user=WHO == "user")
    wait_until(s.is_ready)
    return s


def finish(t, s):
    t.check(s.end() == 0, s.lines())
    wait_until(lambda: not s.left())
    t.check(s.verify()[0] == 0, "its log verifies")
    s.forget()
