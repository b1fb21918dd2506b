# SPDX-License-Identifier: Apache-2.0
"""linewise.py - a program that says what it does line by line, so that a test can wait for a line."""
import queue
import subprocess
import threading
import time

PATIENCE = 60


class Linewise:
    def __init__(self, command, **spawn):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, **spawn)
        self.lines = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def wait_line(self, beginning):
        until = time.monotonic() + PATIENCE
        while True:
            line = self.lines.get(timeout=max(0.01, until - time.monotonic()))
            if line is None:
                raise AssertionError("it ended before it said " + beginning)
            if line.startswith(beginning):
                return line

    def say(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
