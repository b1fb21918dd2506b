# SPDX-License-Identifier: Apache-2.0
"""living.py - a real belljar serve for tests: its processes, its clients, its log, what it leaves."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from tapping import alive, wait_until

USER = 61234
POLICY = """\
version: 1
{allow}
serve:
  loopback_without_key: true
  concurrency: 4
  queue: 64
  queue_wait: 60s
  drain: {drain}
clients:
  local: {{ uid: any, scopes: [execute, read, audit, admin], tools: [py, sh] }}
tools:
  py: {{ kind: code, languages: [python, bash], rate: unlimited, limits: {{ wall: 60s }},
        sessions: {{ allow: true }} }}
  sh: {{ kind: command, programs: [echo, sleep], rate: unlimited }}
"""
ROLES = {
    "front": ("belljar-serve", "front"), "keeper": ("belljar-gate", "keeper"),
    "warden": ("belljar", "warden"), "scribe": ("belljar-scribe", "--fd"),
    "reader": ("belljar-audit", "reader"), "slot": ("belljar", "slot"),
}


def command_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as text:
            return [w.decode(errors="replace") for w in text.read().split(b"\0")[:-1]]
    except (FileNotFoundError, ProcessLookupError):
        return []


def parents():
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as stat:
                    table[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass
    return table


def born(pid):
    """When, in ticks: numbers of processes come again soon on a busy host.  None: it is gone."""
    try:
        with open("/proc/%d/stat" % pid) as stat:
            words = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if words[0] == "Z" else int(words[19])


def beneath(top):
    table, found = parents(), {top}
    while True:
        more = {pid for pid, parent in table.items() if parent in found} - found
        if not more:
            return found - {top}
        found |= more


def needs_degraded(belljar, user):
    done = subprocess.run([belljar + "-serve", "selftest"], stdin=subprocess.DEVNULL,
                          capture_output=True, env={}, **user)
    return done.returncode == 125


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


class Service:
    def __init__(self, belljar, as_user=False, drain="30s", words=(), env=None, pass_fds=(),
                 start=(), listen=True, before=None):
        self.belljar = belljar
        self.dir = tempfile.mkdtemp(prefix="belljar-serve-", dir="/var/tmp")
        os.chmod(self.dir, 0o755)
        self.user = {}
        if as_user and os.geteuid() == 0:
            self.user = {"user": USER, "group": USER, "extra_groups": []}
            os.chown(self.dir, USER, USER)
        degraded = as_user and needs_degraded(belljar, self.user)
        self.allow = "allow_degraded: [memory, processes, cpu]" if degraded else ""
        self.drain = drain
        self.put_policy()
        self.path = self.dir + "/door"
        if before:
            before(self)
        self.log = open(self.dir + "/log", "w+")
        line = list(start) + [belljar, "serve", "--json", "--policy", self.dir + "/policy.yaml",
                              "--state", self.dir + "/state", "--audit", self.dir + "/audit"]
        if listen:
            line += ["--listen", "127.0.0.1:0", "--listen", "unix:" + self.path]
        self.process = subprocess.Popen(line + list(words), stdout=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, stderr=self.log, env=env or {},
                                        pass_fds=pass_fds, **self.user)
        alive.append(self.process)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("it did not start: " + self.lines())
        self.said = json.loads(line)
        self.port = int(self.said["listening"][0].rpartition(":")[2])
        self.seen, self.groups = set(), set()

    def put_policy(self, text=None):
        path = self.dir + "/policy.yaml"
        with open(path + ".new", "w") as out:
            out.write(text or POLICY.format(allow=self.allow, drain=self.drain))
        os.chmod(path + ".new", 0o644)
        if self.user:
            os.chown(path + ".new", USER, USER)
        os.rename(path + ".new", path)

    def lines(self):
        with open(self.dir + "/log") as text:
            return text.read()

    # Clients.

    def connect(self, unix=False):
        if unix:
            return UnixConnection(self.path)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)

    def ask(self, method, path, body=None, unix=False, **headers):
        connection = self.connect(unix)
        try:
            data = None if body is None else json.dumps(body)
            if data is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            raw = answer.read()
            return answer.status, json.loads(raw) if raw[:1] in (b"{", b"[") else raw
        finally:
            connection.close()

    def execute(self, code, language="python", **more):
        return self.ask("POST", "/execute",
                        dict(more, tool_name="py", code=code, language=language))

    def is_ready(self):
        return self.ask("GET", "/readyz")[0] == 200

    # Processes.

    def look(self):
        """Remembers every process and control group of ours, to see later that they are gone."""
        for pid in beneath(self.process.pid):
            start = born(pid)
            try:
                with open("/proc/%d/cgroup" % pid) as text:
                    groups = [tuple(line.strip().split(":", 2)[1:]) for line in text]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if start is not None and born(pid) == start:
                self.seen.add((pid, start))
                self.groups.update(groups)

    def pids(self, role):
        self.look()
        name, word = ROLES[role]
        found = []
        for pid in beneath(self.process.pid):
            words = command_of(pid)
            if len(words) > 1 and os.path.basename(words[0]) == name and words[1] == word:
                found.append(pid)
        return sorted(found)

    def left(self):
        return [(pid, command_of(pid)) for pid, start in self.seen if born(pid) == start]

    def left_groups(self):
        """Those whose names are ours; the others are the host's."""
        found = []
        for kinds, path in self.groups:
            if "belljar" not in path:
                continue
            for top in ("/sys/fs/cgroup/" + kinds.split(",")[0], "/sys/fs/cgroup"):
                if os.path.isdir(top + path):
                    found.append(top + path)
        return found

    # The log.

    def calls(self):
        """id -> how it ended: success, ..., aborted; None: it is open."""
        done = subprocess.run([self.belljar, "audit", "query", "--json", "--limit", "0",
                               "--no-index", "--log", self.dir + "/audit"], capture_output=True,
                              text=True, **self.user)
        assert done.returncode == 0, done.stderr
        found = {}
        for line in done.stdout.splitlines():
            call = json.loads(line)
            ended = (call.get("ended") or {}).get("record", {})
            begun = (call.get("began") or {}).get("record", ended)
            assert begun["id"] not in found, "one call, one story"
            found[begun["id"]] = "aborted" if ended.get("kind") == "aborted" else ended.get("status")
        return found

    def verify(self):
        done = subprocess.run([self.belljar, "audit", "verify", "--log", self.dir + "/audit"],
                              capture_output=True, text=True, **self.user)
        return done.returncode, done.stdout + done.stderr

    # The end.

    def end(self, how=signal.SIGTERM):
        self.look()
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(120)
        self.process.stdout.close()
        self.log.close()
        return code

    def forget(self):
        wait_until(lambda: not self.left())
        wait_until(lambda: not self.left_groups())
        shutil.rmtree(self.dir)


class Load:
    """Clients that call and call, and remember what they heard."""

    def __init__(self, service, n=6):
        self.service, self.going = service, True
        self.answers, self.lost = [], []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.call, args=(i,)) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def call(self, number):
        count = 0
        while self.going:
            count += 1
            word = "%d-%d" % (number, count)
            try:
                status, answer = self.service.execute("echo " + word, "bash")
                with self.lock:
                    self.answers.append((time.monotonic(), word, status, answer))
            except (OSError, http.client.HTTPException, ValueError) as why:
                with self.lock:
                    self.lost.append((time.monotonic(), word, why))

    def successes(self, since=0.0):
        with self.lock:
            return [a for a in self.answers if a[0] > since and a[2] == 200
                    and a[3].get("status") == "success"]

    def stop(self):
        self.going = False
        for thread in self.threads:
            thread.join(120)
