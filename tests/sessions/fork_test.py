#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""fork_test.py GATE BELLJAR SCRIBE [root|user] [NAME]: a session becomes two, in two boxes, by whoever plays the front.

Two keepers, each with a warden of its own: what goes between them is one end of a pipe.
"""
import json
import os
import signal
import sys
import tempfile
import time
from datetime import datetime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "keeper"))
from fakefront import Keeper  # noqa: E402

GATE, BELLJAR, SCRIBE = (os.path.realpath(p) for p in sys.argv[1:4])
USER = 61236
SECRET = "c0rrect-h0rse-and-3-more"
POLICY = """version: 1
allow_degraded: [memory, processes, cpu, own_uid]
clients: { local: { uid: any, tools: ["*"] } }
tools:
  code:
    kind: code
    languages: [python, bash]
    rate: unlimited
    limits: { wall: 20s, cpu: 20s, output: 4000, memory: 192M, disk: 16M, processes: 8 }
    screen: { mode: warn }
    env_allow: [COLOUR]
    sessions: { allow: true, ttl: 10m, idle: 5m }
    secrets: { word: { file: SECRETFILE, env: WORD } }
  line: { kind: command, programs: [cat], rate: unlimited, sessions: { allow: true } }
"""


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def same(got, want):
    check(got == want, f"{got!r} is not {want!r}")


class Session:
    """A keeper, before or while it has a session."""

    def __init__(self, secret, uid=None, policy=POLICY):
        self.k = Keeper(GATE, BELLJAR, SCRIBE, policy.replace("SECRETFILE", secret), uid=uid)
        self.waiting = []
        self.k.ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.k.__exit__()

    def until(self, serial, *kinds):
        while True:
            for r in self.waiting:
                if r.kind in kinds and r.serial == serial:
                    self.waiting.remove(r)
                    return r
            r = self.k.take()
            check(r is not None, "the keeper is gone: " + self.k.said())
            self.waiting.append(r)

    def ask(self, *args, **more):
        return self.until(self.k.send(*args, **more), "answer")

    def open(self, tool="code", ident="s-1", **body):
        answer = self.ask("open", {"tool_name": tool, **body}, ident=ident)
        same((answer.http, answer.json().get("state")), (201, "open"))
        return answer.json()

    def code(self, text, **more):
        return self.ask("code", {"code": text, **more}).json()

    def value(self, text):
        a = self.code(text)
        same((a["status"], a["state_lost"]), ("success", False))
        return a["result"]

    def fork(self):
        """Asked for; the serial, and what came first."""
        serial = self.k.send("fork", ident="s-1")
        return serial, self.until(serial, "begun", "answer")

    def become(self, begun, ident="s-2", origin="s-1", **more):
        request = {"target": begun.offset, "path": origin, "tool": begun.facts["rule"], "number": 1,
                   "ident": ident, **more}
        serial = self.k.send("open", begun.body, stream=begun.stream_end, **request)
        os.close(begun.stream_end)
        return self.until(serial, "answer")


class World:
    """A secret, and keepers for it."""

    def __init__(self, uid):
        self.uid = uid
        self.secret = f"/var/tmp/belljar-fork-secret-{os.getpid()}-{uid or 0}"
        self.keepers = []
        self.write(SECRET)

    def write(self, text):
        with open(self.secret, "w", encoding="utf-8") as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(text + "\n")
        if self.uid:
            os.chown(self.secret, self.uid, self.uid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for k in self.keepers:
            k.__exit__()
        os.unlink(self.secret)

    def session(self, **more):
        self.keepers.append(Session(self.secret, self.uid, **more))
        return self.keepers[-1]

    def opened(self, **body):
        s = self.session()
        s.open(**body)
        return s

    def copy(self, origin):
        """Another session, and the answer to its opening."""
        serial, begun = origin.fork()
        check(begun.kind == "begun", begun.body)
        copy = self.session()
        answer = copy.become(begun)
        same((answer.http, origin.until(serial, "answer").http), (201, 200))
        return copy, answer.json()


TESTS = []


def test(f):
    TESTS.append(f)
    return f


@test
def a_session_becomes_two_that_share_nothing(uid):
    with World(uid) as w:
        a = w.opened(env={"COLOUR": "red"})
        a.code("import os\nx = [1]\ndef f():\n  raise ValueError(x)\ng = (i for i in range(9)); next(g)\n"
               "os.makedirs('deep/er'); open('deep/er/file', 'w').write('one\\ntwo\\n'); os.symlink('deep', 'link')\n"
               "os.chmod('deep/er/file', 0o640); open('/tmp/t', 'w').write('t'); os.truncate('deep/er/file', 1 << 20)\n"
               "h = open('deep/er/file'); h.readline(); os.chdir('deep')")
        b, opened = w.copy(a)
        same((opened["id"], opened["forked_from"], opened["state"]), ("s-2", "s-1", "open"))
        same(b.value("x.append(2); x, next(g), h.readline(), os.getcwd(), os.environ['COLOUR']"),
             "([1, 2], 1, 'two\\n', '/work/deep', 'red')")
        same(b.value("oct(os.stat('er/file').st_mode), os.stat('er/file').st_blocks * 512 < 99999, os.readlink('/work/link'), open('/tmp/t').read()"),
             "('0o100640', True, 'deep', 't')")
        same(a.value("x, next(g), h.readline()"), "([1], 1, 'two\\n')")
        b.code("open('er/file', 'w').write('three'); os.unlink('/tmp/t')")
        same(a.value("open('er/file').read(4), os.path.exists('/tmp/t')"), "('one\\n', True)")
        error = b.code("f()")
        check('"<snippet 1>", line 4' in error["stderr"]["data"] and "raise ValueError" in error["stderr"]["data"], error)
        same((error["snippet"], b.ask("exec", {"argv": ["sh", "-c", "echo $COLOUR"]}).json()["output"]), (5, "red\n"))
        # Each ends alone.
        same(b.ask("close").json()["state"], "closed")
        same(a.value("len(x)"), "1")


GUARD = """
import ctypes, mmap, os
libc = ctypes.CDLL(None)
libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
kept = mmap.mmap(-1, 3 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
at = ctypes.addressof(ctypes.c_char.from_buffer(kept))
kept[:2] = kept[8192:8194] = b'ab'
def reads(page):
    pid = os.fork()
    if pid == 0:
        try:
            ctypes.string_at(at + page * 4096, 2)
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1] == 0
"""


@test
def a_page_that_nobody_may_touch_travels_from_box_to_box(uid):
    """The filter lets its calls through on both sides."""
    with World(uid) as w:
        a = w.opened()
        a.code(GUARD)
        if a.value("libc.madvise(at + 4096, 4096, 102)") != "0":
            raise Skip("this kernel has no guards")
        b, _ = w.copy(a)
        for each in (a, b):
            same(each.value("[reads(page) for page in range(3)], kept[:2], kept[8192:8194]"),
                 "([True, False, True], b'ab', b'ab')")


@test
def a_copy_is_sealed_like_any_program(uid):
    with World(uid) as w:
        a = w.opened()
        walls = a.code("import ctypes, os")["layers"]
        b, _ = w.copy(a)
        same({n: l["state"] for n, l in b.code("0")["layers"].items()}, {n: l["state"] for n, l in walls.items()})
        status = ("{k: v for k, v in (l.split(':\\t') for l in open('/proc/self/status').read().splitlines() if ':\\t' in l)"
                  " if k in ('Seccomp', 'NoNewPrivs', 'CapEff', 'CapBnd', 'Seccomp_filters')}")
        same(b.value(status), a.value(status))
        for s in (a, b):
            same(s.value("ctypes.CDLL(None, use_errno=True).unshare(0x10000000), ctypes.get_errno()"), "(-1, 1)")
        # Limits are its own.
        same(b.code("y = bytearray(400 << 20)")["success"], False)
        same(a.value("1"), "1")


@test
def nothing_connects_the_two(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("import os")
        b, _ = w.copy(a)
        open_ones = "[os.readlink('/proc/self/fd/' + n) for n in os.listdir('/proc/self/fd') if int(n) > 2 and os.path.exists('/proc/self/fd/' + n)]"
        for s in (a, b):
            same([n[:7] for n in eval(s.value(open_ones))], ["socket:"])  # its channel
        check(set(eval(a.value("[os.readlink(f'/proc/self/fd/{i}') for i in (1, 2, 100)]"))).isdisjoint(
            eval(b.value("[os.readlink(f'/proc/self/fd/{i}') for i in (1, 2, 100)]"))))


@test
def copies_of_copies(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("x = [0]; big = bytes(range(256)) * 80000")
        b, _ = w.copy(a)
        b.code("x.append(1)")
        c, opened = w.copy(b)
        same((c.value("x, len(big), big[-1]"), a.value("x")), ("([0, 1], 20480000, 255)", "[0]"))
        c.code("import json, decimal, threading\nt = threading.Thread(target=x.append, args=[2]); t.start(); t.join()")
        same(c.value("x"), "[0, 1, 2]")


def records(keeper, action):
    """What this keeper's log has of one action, in order."""
    log = f"{keeper.k.dir}/audit/log"
    lines = "".join(open(os.path.join(log, n), encoding="utf-8").read() for n in sorted(os.listdir(log)))
    found = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return [r for r in found if r.get("action") == action]


@test
def it_is_judged_and_written_down(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("1")
        b, opened = w.copy(a)
        check(any("forked_from" in str(r.get("args")) for r in records(b, "session_open")))
        check(opened["receipt"]["index"] >= 0)
        same([(r["kind"], r.get("status"), r["session"]) for r in records(a, "session_fork")],
             [("started", None, "s-1"), ("finished", "success", "s-1")])


@test
def a_copy_has_a_whole_ttl_and_the_other_keeps_its_own(uid):
    def seconds(session):
        return (datetime.fromisoformat(session["expires"].replace("Z", "+00:00")) -
                datetime.fromisoformat(session["opened"].replace("Z", "+00:00"))).total_seconds()

    with World(uid) as w:
        a = w.session()
        first = a.open(ttl="9m")
        a.code("1")
        extended = a.ask("extend", {"ttl": "2m"}).json()
        check(extended["expires"] < first["expires"], extended)
        _, copy = w.copy(a)
        check(539 <= seconds(first) <= 541 and 539 <= seconds(copy) <= 541, (first, copy))
        check(copy["opened"] > first["opened"], (first, copy))
        same(a.ask("describe").json()["expires"], extended["expires"])


@test
def a_snippet_that_waits_behind_a_copy_can_be_cancelled(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("x = bytearray(32 << 20)")  # more than a pipe holds: it is written as long as nobody reads
        serial, begun = a.fork()
        same((begun.kind, a.until(serial, "answer").http), ("begun", 200))
        behind = a.k.send("code", {"code": "y = 1"})
        a.k.send("cancel", target=behind, serial=0)
        answer = a.until(behind, "answer")
        same((answer.http, answer.json()["code"]), (409, "conflict"))
        check("cancelled before it began" in answer.json()["detail"], answer.json())
        # The next one waits and is done; the copy has not the one that was cancelled.
        behind = a.k.send("code", {"code": "z = 'y' in globals()"})
        copy = w.session()
        same(copy.become(begun).http, 201)
        same(a.until(behind, "answer").json()["status"], "success")
        same((a.value("z"), a.value("'y' in globals()"), copy.value("'y' in globals()")), ("False", "False", "False"))
        same([r["kind"] for r in records(a, "session_code")].count("started"), 4)


@test
def a_refused_one_is_written_down_too(uid):
    with World(uid) as w:
        a = w.opened()
        same(a.fork()[1].http, 409)  # no Python runs yet
        a.code("import socket; pair = socket.socketpair()")
        same(a.fork()[1].http, 409)  # its own interpreter says so
        ends = [r for r in records(a, "session_fork") if r["kind"] != "started"]
        same([r["status"] for r in ends], ["denied", "denied"])
        check("run a snippet first" in ends[0]["reason"], ends[0])
        check("socket" in ends[1]["reason"], ends[1])


@test
def what_cannot_be_copied_is_said(uid):
    with World(uid) as w:
        a = w.opened()

        def refused(words):
            _, answer = a.fork()
            same((answer.kind, answer.http, answer.json()["code"]), ("answer", 409, "conflict"))
            check(words in answer.json()["detail"], answer.json())

        a.code("import socket, os, threading, subprocess, sys")
        for make, words, undo in (
                ("s = socket.socketpair()", "socket", "s[0].close(); s[1].close()"),
                ("os.mkfifo('p')", "/work/p", "os.unlink('p')"),
                ("e = threading.Event(); t = threading.Thread(target=e.wait); t.start()", "threads", "e.set(); t.join()"),
                ("p = subprocess.Popen(['sleep', '1000'])", "other processes", "p.kill(); p.wait()"),
                ("f = open('gone', 'w'); os.unlink('gone')", "no name", "f.close()"),
                ("import mmap; m = mmap.mmap(-1, 4096)", "shared", "m.close()"),
                ("open('shut', 'w').close(); os.chmod('shut', 0)", "cannot read", "os.unlink('shut')")):
            a.value(make)
            refused(words)
            a.value(undo)
        serial = a.k.send("code", {"code": "import time; time.sleep(1000)"})
        a.until(serial, "begun")
        refused("snippet runs")
        a.k.send("cancel", target=serial, serial=0)
        a.until(serial, "answer")
        serial = a.k.send("exec", {"argv": ["sleep", "1000"]})
        a.until(serial, "begun")
        refused("program runs")
        a.k.send("cancel", target=serial, serial=0)
        a.until(serial, "answer")
        b, _ = w.copy(a)
        same(b.value("os.listdir('/work')"), "[]")
        a.code("x=1", language="bash")
        refused("another language")


@test
def secrets_stay_secret_in_a_copy(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("import os; word = os.environ['WORD']")
        b, _ = w.copy(a)
        same(b.code("print(word); word")["output"], "[REDACTED:secret:word]\n")
        same(a.code("1")["result"], "1")  # it is done with being written, too
        # Whoever copied it now would have the old word, which nobody would keep out of its output.
        w.write("an0ther-word-altogether")
        _, answer = a.fork()
        same((answer.kind, answer.http), ("answer", 409))
        check("secret" in answer.json()["detail"], answer.json())
        same(a.code("word")["result"], "'[REDACTED:secret:word]'")


@test
def a_secret_that_changes_in_between_is_noticed(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("import os; word = os.environ['WORD']")
        serial, begun = a.fork()
        b = w.session()
        w.write("an0ther-word-altogether")
        answer = b.become(begun)
        same((answer.http, answer.json()["code"]), (409, "conflict"))
        same(a.until(serial, "answer").http, 200)
        same(a.code("1")["result"], "1")


@test
def another_policy_is_noticed(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("1")
        serial, begun = a.fork()
        b = w.session(policy=POLICY + "  more: { kind: command, programs: [ls] }\n")
        same(b.become(begun).http, 409)
        same(a.value("1"), "1")


@test
def whoever_gives_up_is_no_burden(uid):
    """The pipe is closed, or never read: the session goes on."""
    with World(uid) as w:
        a = w.opened()
        a.code("x = 1")
        _, begun = a.fork()
        os.close(begun.stream_end)
        same(a.value("x"), "1")
        # One snippet waits until it is written, and no more than one.
        _, begun = a.fork()
        waiting = a.k.send("code", {"code": "x"})
        answer = a.ask("code", {"code": "x"})
        same((answer.http, answer.json()["code"]), (409, "conflict"))
        _, answer = a.fork()
        same((answer.kind, answer.http), ("answer", 409))
        os.close(begun.stream_end)
        same(a.until(waiting, "answer").json()["result"], "1")
        # It ends in the middle.
        _, begun = a.fork()
        waiting = a.k.send("code", {"code": "x"})
        closing = a.k.send("close")
        same((a.until(waiting, "answer").http, a.until(closing, "answer").http), (409, 200))
        os.close(begun.stream_end)


@test
def a_session_may_fill_more_than_half_of_its_memory(uid):
    with World(uid) as w:
        a = w.opened()
        a.code("big = bytearray(b'x') * (120 << 20)")
        b, _ = w.copy(a)
        same(b.value("len(big), big[-1]"), f"({120 << 20}, 120)")
        same(a.value("len(big)"), str(120 << 20))


LIES = {
    "nothing at all": b"",
    "half a head": b"\x00" * 39,
    "zeroes": b"\x00" * 4096,
    "no image behind the files": b"\x00" * 40 + b"\xff" * 8192,
    "a name without an end": (0o100000).to_bytes(8, "little") + b"\xff" * 32 + b"x" * 4096,
    "a path out": (0o100000).to_bytes(8, "little") + (0o644).to_bytes(8, "little") + bytes(16) + (15).to_bytes(8, "little")
                  + b"/etc/passwd_new" + bytes(16) + bytes(40),
    "a magic word and nonsense": bytes(40) + (0x79706F632D6C6C62).to_bytes(8, "little") + b"\x01\x00\x00\x00" + b"\x41" * 9000,
}


@test
def a_session_that_lies_gets_no_copy_and_harms_nobody(uid):
    with World(uid) as w:
        for name, lie in LIES.items():
            b = w.session()
            stream, end = os.pipe()
            begun = type("Begun", (), {"offset": 0, "stream_end": stream, "body": b'{"tool_name": "code"}',
                                       "facts": {"rule": rule(w)}})
            os.write(end, lie)
            os.close(end)
            answer = b.become(begun)
            same((name, answer.http, answer.json()["code"]), (name, 409, "conflict"))
            # The keeper is well, and so is the next session in it.
            b.open(ident="s-3")
            same(b.value("6 * 7"), "42")
            b.__exit__()
            w.keepers.remove(b)


def heals(s):
    """The interpreter was ended; as soon as that is done there is another."""
    until = time.monotonic() + 60
    while True:
        done = s.ask("code", {"code": "6 * 7"})
        if done.http == 200 and done.json()["success"]:
            same(done.json()["result"], "42")
            return
        check(time.monotonic() < until, done.body)
        time.sleep(0.05)


LIAR = """
import os, signal, sys

def lie():
    frame = sys._getframe(1)
    while "nonce" not in frame.f_globals:
        frame = frame.f_back
    names = frame.f_globals
    os.write(names["channel"].fd, names["nonce"] + b" 1 60000\\n" + b"AAAA" + bytes(59996))
    while True:  # whoever ends may be noticed before what it said
        signal.pause()

os.fork = lie
"""


@test
def a_text_that_is_shorter_than_it_says_shows_nothing_of_the_keeper(uid):
    with World(uid) as w:
        a = w.opened()
        a.code(LIAR)
        _, answer = a.fork()
        same((answer.kind, answer.http), ("answer", 409))
        check("made no sense" in answer.json()["detail"] and "AAAA" not in answer.json()["detail"], answer.json())
        heals(a)


def rule(w):
    """What a keeper says of its policy and secrets, as it says it."""
    if not hasattr(w, "rule"):
        a = w.opened()
        a.code("1")
        serial, begun = a.fork()
        os.close(begun.stream_end)
        a.until(serial, "answer")
        w.rule = begun.facts["rule"]
    return w.rule


@test
def an_image_that_was_tampered_with_ends_alone(uid):
    import random
    dice = random.Random(7)
    with World(uid) as w:
        a = w.opened()
        a.code("x = 1")
        serial, begun = a.fork()
        with os.fdopen(begun.stream_end, "rb") as stream:
            whole = stream.read()
        same(a.until(serial, "answer").http, 200)
        for i in range(6):
            bad = bytearray(whole)
            for _ in range(20):
                bad[40 + dice.randrange(3000 if i % 2 else len(bad) - 40)] = dice.randrange(256)
            with tempfile.TemporaryFile() as file:
                file.write(bad)
                file.seek(0)
                stream, end = os.pipe()
                child = os.fork()
                if child == 0:
                    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
                    os.close(stream)
                    try:
                        while data := file.read(65536):
                            while data:
                                data = data[os.write(end, data):]
                    except OSError:
                        pass
                    os._exit(0)
                os.close(end)
                b = w.session()
                begun = type("Begun", (), {"offset": 0, "stream_end": stream, "facts": {"rule": rule(w)},
                                           "body": b'{"tool_name": "code"}'})
                answer = b.become(begun)
                check(answer.http in (201, 409), answer.body)
                os.waitpid(child, 0)
                b.__exit__()
                w.keepers.remove(b)
        same(a.value("x"), "1")


@test
def more_than_a_box_may_hold_does_not_come_through(uid):
    with World(uid) as w:
        b = w.session()
        stream, end = os.pipe()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            os.close(stream)
            head = [0o100000, 0o644, 1 << 40, 0, 10]
            try:
                os.write(end, b"".join(n.to_bytes(8, "little") for n in head) + b"/work/file"
                         + (0).to_bytes(8, "little") + (1 << 40).to_bytes(8, "little"))
                while True:
                    os.write(end, bytes(1 << 20))
            except OSError:
                os._exit(0)
        os.close(end)
        begun = type("Begun", (), {"offset": 0, "stream_end": stream, "facts": {"rule": rule(w)},
                                   "body": b'{"tool_name": "code"}'})
        same(b.become(begun).http, 409)
        same(os.waitpid(child, 0)[1], 0)


@test
def an_interpreter_that_does_not_play_along_is_ended(uid):
    """It says what it likes on its channel, in place of the driver."""
    with World(uid) as w:
        for says in ("b'nonsense\\n'", "nonce + b' 0 -\\n' * 1", "nonce + b' 1 4\\nno\\x1b!'", "b''"):
            a = w.opened(ident="s-1")
            a.code("import sys, os, gc\nmain = [o for o in gc.get_objects() if type(o).__name__ == 'Channel'][0]\n"
                   "def take(self, real=type(main).take):\n  message = real(self)\n  if message.number == 0:\n"
                   f"    nonce = message.nonce\n    say = {says}\n"
                   "    os.write(self.fd, say) if say else os._exit(0)\n    os.write(self.fd, say)\n"
                   "    self.done()\n    return real(self)\n  return message\ntype(main).take = take")
            _, answer = a.fork()
            if answer.kind == "begun":  # it is its own fault that it will never say that it is done
                os.close(answer.stream_end)
                same(a.ask("close").http, 200)
            else:
                same((answer.http, answer.json()["code"]), (409, "conflict"))
            if answer.kind != "begun":
                heals(a)
            a.__exit__()
            w.keepers.remove(a)


class Skip(Exception):
    """It cannot be tried here."""


def too_late(*_):
    raise AssertionError("it takes for ever")


def main():
    signal.signal(signal.SIGALRM, too_late)
    wanted = sys.argv[4:]
    uids = {"root": [None], "user": [USER]}.get(wanted[0] if wanted else "", [None, USER])
    wanted = [word for word in wanted if word not in ("root", "user")]
    cases = [(f, uid) for f in TESTS for uid in uids if not wanted or f.__name__ in wanted]
    failed = 0
    print("1..%d" % len(cases))
    for i, (function, uid) in enumerate(cases):
        name = function.__name__.replace("_", " ") + (", as a user" if uid else ", as root")
        if os.geteuid() != 0:
            print(f"ok {i + 1} - {name} # SKIP not root")
            continue
        signal.alarm(int(os.environ.get("ALARM", "120")))
        try:
            function(uid)
            print(f"ok {i + 1} - {name}", flush=True)
        except Skip as why:
            print(f"ok {i + 1} - {name} # SKIP {why}", flush=True)
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"not ok {i + 1} - {name}")
            print("# " + repr(error).replace("\n", "\n# "), flush=True)
    return 1 if failed else 0


sys.exit(main())
