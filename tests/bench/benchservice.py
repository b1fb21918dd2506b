# SPDX-License-Identifier: Apache-2.0
"""benchservice.py - a real belljar serve for measuring, without limits of rate."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve", "roles"))
from living import Service  # noqa: E402
from tapping import alive, wait_until  # noqa: E402

POLICY = """\
version: 1
serve: { loopback_without_key: true, queue: 256, queue_wait: 60s, calls_kept: 50 }
clients:
  local: { uid: any, tools: ["*"] }
tools:
  execute_code: { kind: code, languages: [python], rate: unlimited }
  run_command: { kind: command, programs: ["true"], rate: unlimited }
"""
PYTHON = json.dumps({"tool_name": "execute_code", "code": "print(2+2)"})
TRUE = json.dumps({"tool_name": "run_command", "arguments": {"command": "true"}})


class BenchService(Service):
    def __init__(self, belljar, load):
        super().__init__(os.path.realpath(belljar))
        alive.clear()
        self.program = load
        wait_until(self.is_ready)

    def put_policy(self, text=None):
        super().put_policy(text or POLICY)

    def load(self, kind, *words):
        """What serve_load says, by its first words: numbers."""
        done = subprocess.run([self.program, kind, str(self.port)] + [str(w) for w in words],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr + self.lines())
        rows = (line.split() for line in done.stdout.splitlines())
        return {name: [float(n) for n in numbers] for name, *numbers in rows}

    def cpu_us(self, role):
        """What the processes of a role have used so far."""
        ticks = 0
        for pid in self.pids(role):
            with open("/proc/%d/stat" % pid) as stat:
                fields = stat.read().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return 1e6 * ticks / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self.forget()
