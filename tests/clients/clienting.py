# SPDX-License-Identifier: Apache-2.0
"""clienting.py - a real belljar serve for tests of the clients, with a policy of their own."""
import hashlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "serve", "roles"))
sys.path.insert(0, os.path.join(ROOT, "clients", "python"))
sys.dont_write_bytecode = True
from living import Service  # noqa: E402
from tapping import alive, wait_until  # noqa: E402

KEY = "a-key-for-tests-0123456789"
POLICY = """\
version: 1
serve:
  loopback_without_key: true
  concurrency: 4
clients:
  local: { uid: any, scopes: [execute, read, audit], tools: ["*"] }
  keyed: { key_sha256: ["%s"], tools: [run_command] }
tools:
  execute_code: { kind: code, languages: [python, bash, "node?"], rate: unlimited,
                  artifacts: { allow: true }, sessions: { allow: true }, env_allow: [COLOUR] }
  run_command: { kind: command, programs: [echo, cat, sleep, rm], rate: unlimited }
  seldom: { kind: command, programs: [echo], rate: 1/hour }
""" % hashlib.sha256(KEY.encode()).hexdigest()


class ClientService(Service):
    """Ready when it is made; left with nothing behind."""

    def __init__(self, belljar):
        super().__init__(os.path.realpath(belljar))
        alive.clear()  # it lives for all tests, not for one
        self.url = "http://127.0.0.1:%d" % self.port
        wait_until(self.is_ready)

    def put_policy(self, text=None):
        super().put_policy(text or POLICY)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        code = self.end()
        said = self.lines()
        self.forget()
        if code != 0 or "died" in said:
            raise AssertionError("exit code %d\n%s" % (code, said))
