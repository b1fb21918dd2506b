# SPDX-License-Identifier: Apache-2.0
"""fakeservice.py - the supervisor alone, with roles that only seem to be: X.py SUPERDRIVE FAKEROLES [TEST...]"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import tapping

DRIVE, FAKES = sys.argv[1], sys.argv[2]
ALL_UP = 15
VIEW = {
    "policy_sha256": "ab" * 32, "source": "built in", "ceiling": "slots 4\n", "allow_degraded": [],
    "audit": {"off": False, "directory": None},
    "serve": {"listen": ["127.0.0.1:0"], "tls": {}, "plaintext": False,
              "loopback_without_key": True, "concurrency": 4, "sessions": 2, "sessions_ready": 0,
              "drain_ms": 60000, "warm_node": 2},
}


class Service:
    def __init__(self, listen="unix", up=True, env=None, before=None, pass_fds=(), start=None):
        self.dir = tempfile.mkdtemp(prefix="belljar-roles-")
        self.path = os.path.join(self.dir, "door")
        for name in ("front", "belljar", "gate", "scribe", "auditor"):
            shutil.copy(FAKES, os.path.join(self.dir, name))
            os.chmod(os.path.join(self.dir, name), 0o755)
        os.mkdir(os.path.join(self.dir, "starts"))
        self.put("view.json", json.dumps(VIEW))
        if before:
            before(self)
        word = "unix:" + self.path if listen == "unix" else listen
        self.log = open(os.path.join(self.dir, "log"), "w+")
        words = (start or []) + [DRIVE, self.dir, word, "--json"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log,
                                        env=env or {}, pass_fds=pass_fds)
        tapping.alive.append(self.process)
        if up:
            self.said = json.loads(self.process.stdout.readline())

    def put(self, name, text=""):
        with open(os.path.join(self.dir, name + ".new"), "w") as out:
            out.write(text)
        os.rename(os.path.join(self.dir, name + ".new"), os.path.join(self.dir, name))

    def take(self, name):
        os.unlink(os.path.join(self.dir, name))

    def ask(self, word=b"?"):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(60)
            s.connect(self.path)
            s.sendall(word)
            answer = s.recv(100).split()
        return [int(n) for n in answer]

    def starts(self, role):
        names = os.listdir(os.path.join(self.dir, "starts"))
        return sorted(int(n.split(".")[1]) for n in names
                      if n.startswith(role + ".") and not n.endswith(".new"))

    def alive(self, role):
        return [pid for pid in self.starts(role) if tapping.is_alive(pid)]

    def words(self, role, pid):
        with open(os.path.join(self.dir, "starts", "%s.%d" % (role, pid))) as text:
            return text.read().split("\n")

    def lines(self):
        with open(self.log.name) as text:
            return text.read()

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(90)
        self.process.stdout.close()
        self.log.close()
        return code

    def left(self):
        return [pid for role in ("front", "warden", "scribe", "reader", "keeper")
                for pid in self.alive(role)]

    def forget(self):
        tapping.wait_until(lambda: not self.left())
        shutil.rmtree(self.dir)


def is_settled(s, keepers=2):
    answer = s.ask()
    return len(answer) == 4 and answer[1] == ALL_UP and answer[2] == keepers
