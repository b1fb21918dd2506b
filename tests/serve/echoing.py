# SPDX-License-Identifier: Apache-2.0
"""echoing.py - starts echo_server, speaks raw bytes to it, and says TAP."""
import contextlib
import select
import socket
import subprocess
import sys
import time
import traceback

from linewise import PATIENCE, Linewise

HOST = b"Host: a\r\n"


class Server(Linewise):
    def __init__(self, *words, wrap=(), **spawn):
        super().__init__([*wrap, sys.argv[1], *words], **spawn)

    def count(self):
        self.say("count")
        return int(self.wait_line("count").split()[1])

    def wait_count(self, n):
        wait_until(lambda: self.count() == n, "%d connections" % n)

    def end(self):
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                self.say("quit")
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


@contextlib.contextmanager
def serving(*words, address="127.0.0.1:0", **spawn):
    server = Server(*words, address, **spawn)
    try:
        where = server.wait_line("listening").split()[1]
        if where.startswith("tls:"):
            where = where[4:]
        server.where = where
        server.port = int(where.rsplit(":", 1)[1]) if "unix:" not in where else None
        yield server
    finally:
        code = server.end()
    assert code == 0, "the server ended with %r" % code


def wait_until(truth, what):
    until = time.monotonic() + PATIENCE
    while not truth():
        assert time.monotonic() < until, "never: " + what
        time.sleep(0.02)


def connect(server):
    if server.where.startswith("unix:"):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(PATIENCE)
        s.connect(server.where[5:])
        return s
    s = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


class Answer:
    def __init__(self, status, headers, body, rest):
        self.status, self.headers, self.body, self.rest = status, headers, body, rest

    def __repr__(self):
        return "%s %r %r" % (self.status, self.headers, self.body[:200])


def _unchunk(data, more):
    data, body, at = bytearray(data), bytearray(), 0
    while True:
        while (end := data.find(b"\r\n", at)) < 0:
            data += more()
        size = int(data[at:end], 16)
        at = end + 2
        while len(data) < at + size + 2:
            data += more()
        body += data[at:at + size]
        at += size + 2
        assert data[at - 2:at] == b"\r\n"
        if size == 0:
            return bytes(body), bytes(data[at:])
        if at > 1 << 20:
            del data[:at]
            at = 0


def read_answer(s, data=b"", head_only=False):
    """One answer, read as strictly as we want to be read."""
    def more():
        piece = s.recv(65536)
        if not piece:
            raise EOFError("the connection ended in an answer: %r" % data[:200])
        return piece
    while b"\r\n\r\n" not in data:
        data += more()
    head, data = data.split(b"\r\n\r\n", 1)
    lines = head.decode("ascii").split("\r\n")
    status = int(lines[0].split()[1])
    assert lines[0].startswith("HTTP/1.1 "), lines[0]
    headers = {}
    for line in lines[1:]:
        name, value = line.split(": ", 1)
        assert name.lower() not in headers, line
        headers[name.lower()] = value
    if head_only or status in (100, 204, 304):
        return Answer(status, headers, b"", data)
    if headers.get("transfer-encoding") == "chunked":
        body, data = _unchunk(data, more)
        return Answer(status, headers, body, data)
    if "content-length" not in headers:
        body = data
        while piece := s.recv(65536):
            body += piece
        return Answer(status, headers, body, b"")
    length = int(headers["content-length"])
    while len(data) < length:
        data += more()
    return Answer(status, headers, data[:length], data[length:])


def read_to_end(s):
    data = bytearray()
    while piece := s.recv(65536):
        data += piece
    return bytes(data)


def ask(server, raw):
    """Sends it, and takes the first answer; None: the connection ended without one."""
    with connect(server) as s:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            s.sendall(raw)
        try:
            return read_answer(s)
        except (EOFError, ConnectionResetError):
            return None


def get(path, headers=b"", host=HOST, method=b"GET"):
    return method + b" " + path + b" HTTP/1.1\r\n" + host + headers + b"\r\n"


def post(path, body, headers=b""):
    return (b"POST " + path + b" HTTP/1.1\r\n" + HOST + headers +
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


def is_silent(s, seconds=0.2):
    return not select.select([s], [], [], seconds)[0]


tests = []


def test(function):
    tests.append(function)
    return function


class Skip(Exception):
    pass


def main():
    print("1..%d" % len(tests))
    failed = 0
    for number, function in enumerate(tests, 1):
        name = function.__name__
        try:
            function()
            print("ok %d - %s" % (number, name), flush=True)
        except Skip as why:
            print("ok %d - %s # SKIP %s" % (number, name, why), flush=True)
        except Exception:
            failed += 1
            print("not ok %d - %s" % (number, name))
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            sys.stdout.flush()
    sys.exit(1 if failed else 0)
