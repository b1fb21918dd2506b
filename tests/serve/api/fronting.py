# SPDX-License-Identifier: Apache-2.0
"""fronting.py - starts apifront, speaks HTTP to it, and says TAP."""
import contextlib
import hashlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from linewise import PATIENCE, Linewise  # noqa: E402
JSON = {"Content-Type": "application/json"}
UP = 1 | 2 | 4 | 8


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def client(name, **words):
    base = {"name": name, "key_sha256": [sha256("key-" + name)], "uids": [], "cert": None,
            "scopes": ["execute", "read"], "max_concurrent": 0, "tools": ["*"]}
    return {**base, **words}


def view(clients=None, **serve):
    base = {"listen": ["127.0.0.1:8640"], "hosts": ["box.example"],
            "origins": ["https://app.example"], "loopback_without_key": False,
            "concurrency": 2, "sessions": 4, "sessions_ready": 0, "queue": 8, "queue_wait_ms": 30000,
            "body_bytes": 4 << 20, "connections": 512, "head_wait_ms": 30000,
            "body_wait_ms": 30000, "idle_wait_ms": 60000, "drain_ms": 30000, "calls_kept": 1000,
            "calls_kept_ms": 600000, "idempotency_ms": 86400000}
    return {"policy_sha256": "0" * 64, "source": "test", "serve": {**base, **serve},
            "clients": clients or [client("ann"), client("bob"),
                                   client("root", scopes=["admin"]),
                                   client("eve", scopes=["read"]),
                                   client("log", scopes=["audit"])],
            "tools": [{"name": "execute_code", "kind": "code", "description": "",
                       "sessions": True}]}


class Front(Linewise):
    def __init__(self, the_view=None, directory="", unix=False, beat_ms=0,
                 reload_ms=0):
        self.dir = tempfile.mkdtemp()
        self.view_path = os.path.join(self.dir, "view.json")
        self.unix_path = os.path.join(self.dir, "sock")
        self.set_view_file(the_view or view())
        super().__init__([sys.argv[1], self.view_path, directory] + ([self.unix_path] if unix else []),
                         env={**os.environ, "APIFRONT_BEAT_MS": str(beat_ms),
                              "APIFRONT_RELOAD_MS": str(reload_ms)})
        self.port = int(self.wait_line("port").split()[1])

    def set_view_file(self, the_view):
        with open(self.view_path, "w", encoding="utf-8") as out:
            json.dump(the_view, out)

    def tell(self, words):
        self.say(words)
        self.wait_line("did " + words.split()[0])

    def path(self, name):
        return os.path.join(self.dir, name)

    def touch(self, name):
        with open(self.path(name), "w", encoding="utf-8"):
            pass

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, headers=None, key="ann", connection=None):
        """One request; the answer with its body as .data and .json."""
        c = connection or self.connect()
        h = {"Authorization": "Bearer key-" + key} if key else {}
        if body is not None and method == "POST":
            h.update(JSON)
        h.update(headers or {})
        c.request(method, path, body=body, headers={k: v for k, v in h.items() if v is not None})
        r = c.getresponse()
        r.data = r.read()
        r.json = None
        if "json" in (r.getheader("Content-Type") or "") and "nd" not in r.getheader("Content-Type"):
            r.json = json.loads(r.data) if r.data else None
        if connection is None:
            c.close()
        return r

    def run(self, lines, **words):
        return self.ask("POST", words.pop("path", "/execute"), "\n".join(lines), **words)

    def begin(self, method, path, body="", headers=None, key="ann"):
        """A request on a socket of its own, whose answer is read by the caller."""
        s = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        h = {"Host": "localhost", "Authorization": "Bearer key-" + key,
             "Content-Length": str(len(body)), **(JSON if method == "POST" else {}),
             **(headers or {})}
        head = "%s %s HTTP/1.1\r\n" % (method, path)
        head += "".join("%s: %s\r\n" % row for row in h.items())
        s.sendall((head + "\r\n" + body).encode())
        return s

    def stream(self, lines, form="text/event-stream", path="/execute", method="POST", key="ann"):
        s = self.begin(method, path, "\n".join(lines), {"Accept": form}, key)
        return Stream(s, form)

    def metric(self, name):
        text = self.ask("GET", "/metrics", key="root").data.decode()
        for line in text.splitlines():
            if line.rsplit(" ", 1)[0] == name:
                return float(line.rsplit(" ", 1)[1])
        return 0.0

    def wait_metric(self, name, value):
        wait_until(lambda: self.metric(name) == value, "%s to be %s" % (name, value))

    def resident(self):
        with open("/proc/%d/statm" % self.process.pid, encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def end(self):
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                self.process.stdin.write("quit\n")
                self.process.stdin.flush()
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)


class Stream:
    """Events as they come."""

    def __init__(self, sock, form):
        self.sock, self.form = sock, form
        self.response = http.client.HTTPResponse(sock)
        self.response.begin()

    def next(self):
        """(name, object), or None at the end."""
        name = None
        while True:
            line = self.response.readline()
            if not line:
                return None
            text = line.decode().rstrip("\n")
            if self.form == "application/x-ndjson":
                data = json.loads(text)
                return data.pop("event"), data
            if text.startswith("event: "):
                name = text[7:]
            elif text.startswith("data: "):
                self.response.readline()
                return name, json.loads(text[6:])

    def rest(self):
        events = []
        while True:
            event = self.next()
            if event is None:
                return events
            events.append(event)

    def close(self):
        self.response.close()
        self.sock.close()


def wait_until(truth, what):
    until = time.monotonic() + PATIENCE
    while not truth():
        if time.monotonic() > until:
            raise AssertionError("waited in vain for " + what)
        time.sleep(0.02)


def expect(got, want, what=""):
    if got != want:
        raise AssertionError("%s: got %r, not %r" % (what or "value", got, want))


def bounded(f, before, most, what):
    """Memory since then; a sanitizer keeps its own."""
    grown = f.resident() - before
    print("# %s: %d KiB" % (what, grown >> 10))
    if not os.environ.get("SANITIZED"):
        expect(grown < most, True, what)


def problem(r, status, code):
    expect(r.status, status, "status (%r)" % r.data[:300])
    expect(r.getheader("Content-Type"), "application/problem+json")
    expect(r.json["code"], code)
    expect(r.json["status"], status)
    expect(r.json["request_id"], r.getheader("X-Request-Id"))
    expect(r.json["type"], "https://belljar.dev/problems/" + code)


def main(tests):
    failed = 0
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    chosen = [t for t in tests if only in t.__name__]
    print("1..%d" % len(chosen), flush=True)
    for i, test in enumerate(chosen, 1):
        try:
            test()
            print("ok %d - %s" % (i, test.__name__), flush=True)
        except Exception:  # noqa: BLE001 - a test may fail in any way
            failed += 1
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            print("not ok %d - %s" % (i, test.__name__), flush=True)
    sys.exit(1 if failed else 0)


@contextlib.contextmanager
def front(*args, **words):
    f = Front(*args, **words)
    try:
        yield f
    finally:
        code = f.end()
    expect(code, 0, "how the front ended")
