# SPDX-License-Identifier: Apache-2.0
"""driving.py - a session's interpreter outside of any box: who imports this plays the keeper of its channel."""
import fcntl
import os
import socket
import subprocess
import sys
import tempfile
import time

DRIVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/keeper/drivers")
PATIENCE_S = 60
FILE_FD = 4  # copy_image.h: where it finds what it is to become
TESTS = []


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def same(got, want):
    check(got == want, f"{got!r} is not {want!r}")


def wait_until(is_so):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        check(time.monotonic() < end, "it never came")
        time.sleep(0.02)


def text(name):
    """As it is built: what stands before those that are given a library is in a file of its own."""
    parts = ["python_given.py", name] if name.startswith("python_") else [name]
    whole = ""
    for part in parts:
        with open(os.path.join(DRIVERS, part), encoding="utf-8") as file:
            whole += file.read()
    return whole


class Interpreter:
    """A driver and the other end of its channel; file: what it is to become."""

    def __init__(self, file=None, **env):
        self.sock, theirs = socket.socketpair()
        self.sock.settimeout(PATIENCE_S)
        self.out = tempfile.TemporaryFile()
        env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/", "PYTHONSAFEPATH": "belljar", **env}
        if file is not None:
            env["LD_PRELOAD"] = "/proc/self/fd/%d" % FILE_FD
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-c", text("python.py")], stdin=theirs, stdout=self.out, stderr=self.out, env=env,
            cwd="/", preexec_fn=lambda: self.place(file), close_fds=False)
        theirs.close()
        self.held, self.number = b"", 0

    @staticmethod
    def place(file):
        """As in a box: 0, 1, 2, and what it is to become."""
        if file is not None:
            high = fcntl.fcntl(file, fcntl.F_DUPFD, 1000)
            os.dup2(high, FILE_FD)
        os.closerange(3, FILE_FD)
        # The one above is how subprocess hears of a failure: it closes itself.
        for name in os.listdir("/proc/self/fd"):
            if int(name) > FILE_FD or (int(name) == FILE_FD and file is None):
                try:
                    os.set_inheritable(int(name), False)
                except OSError:
                    pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.out.close()

    def said(self):
        self.out.seek(0)
        return self.out.read().decode(errors="replace")

    def line(self):
        while b"\n" not in self.held:
            data = self.sock.recv(65536)
            check(data, "it is gone: " + self.said())
            self.held += data
        line, self.held = self.held.split(b"\n", 1)
        return line.decode()

    def report(self):
        _, status, length = self.line().split(" ")
        if length == "-":
            return int(status), None
        while len(self.held) < int(length):
            self.held += self.sock.recv(65536)
        result, self.held = self.held[: int(length)], self.held[int(length):]
        return int(status), result.decode()

    def ready(self):
        same(self.line(), "ready")
        return self

    def send(self, number, code):
        self.sock.sendall(b"%d cafe %d\n" % (number, len(code)) + code)

    def give(self, *fds):
        socket.send_fds(self.sock, [b"x"], list(fds))

    def run(self, code):
        self.number += 1
        self.send(self.number, code.encode())
        status, result = self.report()
        check(status == 0, f"{code!r} ended with {status}: {self.said()}")
        return result

    def own_kib(self):
        """Memory that nobody else has."""
        with open("/proc/%d/smaps_rollup" % self.process.pid) as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))

    def tables_kib(self):
        """What the kernel needs to know where its memory is."""
        with open("/proc/%d/status" % self.process.pid) as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmPTE:"))

    def maps(self):
        with open("/proc/%d/maps" % self.process.pid) as lines:
            return lines.read().splitlines()

    def sleeps(self):
        """Has it put everything away?"""
        return any(m.startswith("200000000-") for m in self.maps()) and self.state() == "S"

    def state(self):
        with open("/proc/%d/stat" % self.process.pid) as file:
            return file.read().rpartition(")")[2].split()[0]

    def sleep(self):
        self.send(-1, b"")
        wait_until(self.sleeps)

    def begin_copy(self, library):
        """Asks for it; the stream, or why not."""
        self.send(0, text("python_copy.py").replace('ROOTS = ("/work", "/tmp")', "ROOTS = ()").encode())
        same(self.report(), (0, None))
        stream, end = os.pipe()
        given = os.open(library, os.O_RDONLY)
        self.give(given, end)
        os.close(given)
        os.close(end)
        status, why = self.report()
        if status == 0:
            return stream, None
        os.close(stream)
        return None, why

    def become_copy(self, library, *fds):
        """It is given what it is to become."""
        self.send(0, text("python_become.py").encode())
        same(self.line(), "give")
        given = os.open(library, os.O_RDONLY)
        self.give(given, *fds)
        os.close(given)


def main(asked):
    """asked: words, of which a test has one in its name; none: all."""
    print(f"1..{len(TESTS)}")
    bad = 0
    for i, function in enumerate(TESTS, 1):
        name = function.__name__.replace("_", " ")
        if asked and not any(word in function.__name__ for word in asked):
            print(f"ok {i} - {name} # SKIP not asked for")
            continue
        try:
            function()
            print(f"ok {i} - {name}", flush=True)
        except Skip as why:
            print(f"ok {i} - {name} # SKIP {why}", flush=True)
        except Exception as error:  # noqa: BLE001
            bad += 1
            print(f"not ok {i} - {name}", flush=True)
            for line in f"{type(error).__name__}: {error}".splitlines():
                print(f"# {line}", flush=True)
    sys.exit(1 if bad else 0)
