# SPDX-License-Identifier: Apache-2.0
"""node_test.py - a node that waited at the door does what a node does that was started for its call.

The test plays the launcher: it starts node with the library and the driver, and sends the call.
"""
import array
import contextlib
import ctypes
import os
import re
import selectors
import shutil
import signal
import socket
import struct
import sys
import tempfile

from node_snippets import SNIPPETS
from nodetap import Tap

LIBRARY, DRIVER = sys.argv[1], sys.argv[2]
NODE = os.environ.get("NODE") or shutil.which("node")
MAGIC = 0x726F6F64
DOOR_FD, LIBRARY_FD = 40, 41
AHEAD_ENV = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "AHEAD=only before the call"]
CALL_ENV = ["LANG=C.UTF-8", "HOME=/work"]


def memfd(name, data):
    fd = os.memfd_create(name)
    os.write(fd, data)
    return fd


def packed(argv, env):
    words = b"".join(os.fsencode(w) + b"\0" for w in argv + env)
    return struct.pack("=II", len(argv), len(env)) + words


def execute(argv, env):
    """As os.execve, but with the environment as it is: in order, and with names that come twice."""
    def strings(words):
        return (ctypes.c_char_p * (len(words) + 1))(*[os.fsencode(w) for w in words], None)

    ctypes.CDLL(None).execve(os.fsencode(NODE), strings(argv), strings(env))


class Ahead:
    """One node, waiting in the directory `work`."""

    def __init__(self, work, driver):
        self.door, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with open(LIBRARY, "rb") as f:
            library = memfd("door", f.read())
        if not os.path.exists(driver):
            shutil.copy(DRIVER, driver)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.become_node(work, driver, its.fileno(), library)
            finally:
                os._exit(126)
        its.close()
        os.close(library)

    @staticmethod
    def become_node(work, driver, its, library):
        os.chdir(work)
        null = os.open("/dev/null", os.O_RDWR)
        its, library = os.dup(its), os.dup(library)
        for fd in range(3):
            os.dup2(null, fd)
        os.dup2(its, DOOR_FD)
        os.dup2(library, LIBRARY_FD)
        os.closerange(3, DOOR_FD)
        os.closerange(LIBRARY_FD + 1, 1024)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        execute(["node", "/dev/null/main.js"], AHEAD_ENV + ["NODE_OPTIONS=--require=" + driver])

    def send(self, data, fds):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        self.door.sendmsg([data], rights)

    def go(self, argv, env, io):
        words = memfd("words", packed(argv, env))
        self.send(struct.pack("=II", MAGIC, 0), list(io) + [words])
        os.close(words)

    def began(self):
        """Waits until it has said so and closed its end; what it had used until then."""
        says, user_us, system_us = struct.unpack("=QQQ", self.door.recv(64))
        return says == ord("b") and self.door.recv(64) == b"", user_us + system_us


def cold(work, argv, env, io):
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(work)
            for fd, source in enumerate(io):
                os.dup2(source, fd)
            os.closerange(3, 1024)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            execute(argv, env)
        finally:
            os._exit(126)
    return pid


def how_it_ended(pid):
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status)


class Place:
    """Files for a program, and for what it says."""

    def __init__(self, base):
        self.work = base + "/work"
        self.base = base

    def fill(self, files):
        """Only these; the directory itself stays, since somebody may wait in it."""
        os.makedirs(self.work, exist_ok=True)
        for entry in os.scandir(self.work):
            (shutil.rmtree if entry.is_dir(follow_symlinks=False) else os.unlink)(entry.path)
        for name, content in files.items():
            path = os.path.join(self.work, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(content, tuple):
                os.symlink(content[1], path)
            else:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(content)

    def open(self, name):
        return os.open(os.path.join(self.base, name), os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)


def collect(out, err):
    """Reads both pipes to their ends."""
    texts = {out: b"", err: b""}
    with selectors.DefaultSelector() as sel:
        for fd in texts:
            sel.register(fd, selectors.EVENT_READ)
        while sel.get_map():
            for key, _ in sel.select(60):
                data = os.read(key.fd, 1 << 16)
                texts[key.fd] += data
                if not data:
                    sel.unregister(key.fd)
    return texts[out], texts[err]


def feed(text):
    """Standard input: the null device, or a pipe that a child fills."""
    if text is None:
        return os.open("/dev/null", os.O_RDONLY), None
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        with contextlib.suppress(OSError):
            data = text.encode()
            while data:
                data = data[os.write(w, data):]
        os._exit(0)
    os.close(w)
    return r, pid


def run(place, snippet, start):
    """start(argv, env, io) -> pid.  Returns (stdout, stderr, how it ended)."""
    main = snippet["main"] if snippet["relative"] else place.work + "/" + snippet["main"]
    argv = ["node", main] + snippet["args"]
    stdin, feeder = feed(snippet["stdin"])
    er, ew = os.pipe()
    to_file = snippet["out"] == "file"
    if to_file:
        outr, outw = None, place.open("out")
    else:
        outr, outw = os.pipe()
    pid = start(argv, CALL_ENV + snippet["env"], (stdin, outw, ew))
    os.close(stdin)
    os.close(ew)
    if to_file:
        out, err = b"", collect(er, er)[0]
    else:
        os.close(outw)
        out, err = collect(outr, er)
        os.close(outr)
    end = how_it_ended(pid)
    if to_file:
        out = os.pread(outw, 1 << 20, 0)
        os.close(outw)
    os.close(er)
    if feeder:
        os.waitpid(feeder, 0)
    return out, err, end


def same(text, snippet):
    text = re.sub(rb"\(node:\d+\)", b"(node:N)", text)
    return b"\n".join(sorted(text.split(b"\n"))) if snippet.get("sort") else text


def compare(tap, place, snippet):
    place.fill(snippet["files"])
    ahead = Ahead(place.work, place.base + "/driver.cjs")
    want = run(place, snippet, lambda *call: cold(place.work, *call))
    place.fill(snippet["files"])

    def go(argv, env, io):
        ahead.go(argv, env, io)
        return ahead.pid

    got = run(place, snippet, go)
    ahead.door.close()
    good = (same(want[0], snippet), same(want[1], snippet), want[2]) == (
        same(got[0], snippet), same(got[1], snippet), got[2])
    tap.ok(good, snippet["what"], "cold: %r" % (want,), "warm: %r" % (got,))


def refuses(tap, place, what, knock):
    """Whatever comes that is no call: it ends, and nothing runs."""
    place.fill({"main.js": "require('fs').writeFileSync('ran', '')"})
    ahead = Ahead(place.work, place.base + "/driver.cjs")
    knock(ahead)
    end = how_it_ended(ahead.pid)
    tap.ok(end == 1 and not os.path.exists(place.work + "/ran"), what, end)


def words_with(argc, envc, rest):
    return struct.pack("=II", argc, envc) + rest


def bad_words(content):
    def knock(ahead):
        with open("/dev/null", "r+b") as null:
            words = memfd("words", content)
            ahead.send(struct.pack("=II", MAGIC, 0), [null.fileno()] * 3 + [words])
            os.close(words)
    return knock


def bad_message(data, n_fds):
    def knock(ahead):
        with open("/dev/null", "r+b") as null:
            ahead.send(data, [null.fileno()] * n_fds)
        ahead.door.close()
    return knock


def refusals(tap, place):
    go = struct.pack("=II", MAGIC, 0)
    refuses(tap, place, "nobody comes", lambda ahead: ahead.door.close())
    refuses(tap, place, "another word", bad_message(b"garbage!", 4))
    refuses(tap, place, "too short a word", bad_message(go[:4], 4))
    refuses(tap, place, "no descriptors", bad_message(go, 0))
    refuses(tap, place, "too few descriptors", bad_message(go, 3))
    refuses(tap, place, "too many descriptors", bad_message(go, 5))
    refuses(tap, place, "no words", bad_words(b""))
    refuses(tap, place, "counts that are too large", bad_words(words_with(9, 9, b"node\0main.js\0")))
    refuses(tap, place, "a word without its end", bad_words(words_with(2, 0, b"node\0main.js")))
    refuses(tap, place, "no script", bad_words(words_with(1, 0, b"node\0")))
    for word in (b"-p", b"", b"inspect"):
        refuses(tap, place, "not a script: %r" % word, bad_words(words_with(2, 0, b"node\0" + word + b"\0")))


def tells_when_it_begins(tap, place):
    place.fill({"main.js": "setTimeout(() => {}, 60000)"})
    ahead = Ahead(place.work, place.base + "/driver.cjs")
    with open("/dev/null", "r+b") as null:
        ahead.go(["node", place.work + "/main.js"], CALL_ENV, [null.fileno()] * 3)
    begun, used_us = ahead.began()
    tap.ok(begun, "the door closes when it begins, not when it ends")
    tap.ok(1000 < used_us < 60000000, "it says what its start has cost", used_us)
    os.kill(ahead.pid, signal.SIGKILL)
    tap.ok(how_it_ended(ahead.pid) == -signal.SIGKILL, "it was still there")


def main():
    if not NODE:
        print("1..0 # SKIP there is no node on this host")
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory() as base:
        place = Place(os.path.realpath(base))
        for snippet in SNIPPETS:
            compare(tap, place, snippet)
        refusals(tap, place)
        tells_when_it_begins(tap, place)
    print("1..%d" % tap.count)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
