#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""reader_test.py BELLJAR BELLJAR_AUDIT LOG_MAKER: the reader of the log says over its socket what
belljar audit prints, whoever asks and however.  As root and as an ordinary user."""
import array
import contextlib
import fcntl
import functools
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

from audittap import run

BELLJAR = os.path.realpath(sys.argv[1])
READER = os.path.realpath(sys.argv[2])
MAKER = os.path.realpath(sys.argv[3])
USER = 61235
NOON = 1794744000000  # 2026-11-15T12:00:00Z
PATIENCE = 60

MAGIC, VERSION = 0x64726C62, 2
ROOM = 256
TEXTS = ("tool client session status decision kind since until limit after index id "
         "request_id").split()
REQUEST = struct.Struct("=IIIIQ" + f"{ROOM}s" * len(TEXTS))
REPLY = struct.Struct("=IIIIQQII")
QUERY, SHOW, RECORD, PROOF, VERIFY, CHECKPOINT = range(1, 7)
READY, ANSWER = 1, 2
SEALS = 0x1 | 0x2 | 0x4 | 0x8


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def equal(a, b):
    check(a == b, f"{a!r:.1500} is not {b!r:.1500}")


def started(n, **more):
    return dict(dict(kind="started", id=f"bj-{n:024x}", client="research", uid=1000,
                     tool="execute_code", args='{"code":"print(1)"}', decision="allow",
                     backend="native", time_ms=NOON + n * 1000), **more)


def finished(n, status="success", **more):
    return dict(dict(kind="finished", id=f"bj-{n:024x}", client="research", tool="execute_code",
                     status=status, run_us=12345, exit_code=0, time_ms=NOON + n * 1000 + 20),
                **more)


def denied(n):
    return dict(kind="denied", id=f"bj-{n:024x}", client="guest", tool="delete_user",
                decision="deny", layer="policy", rule="tools.delete_user",
                reason="999 is not one of 123, 456", time_ms=NOON + n * 1000)


USUAL = [
    dict(kind="started_up", version="0.1.0", time_ms=NOON),
    dict(kind="policy_loaded", time_ms=NOON),
    started(1), finished(1),
    started(2, tool="\x1b[31m\u202erm \"x\""), denied(3), finished(2, "timeout", cause="wall"),
    started(4, session="bjs-1"),
    "checkpoint",
]


def request(kind, serial=7, /, **texts):
    values = [texts.get(name, "") for name in TEXTS]
    return REQUEST.pack(MAGIC, VERSION, kind, 0, serial,
                        *[v if isinstance(v, bytes) else v.encode() for v in values])


class Place:
    """A log, somebody's; and a reader of it."""

    def __init__(self, user):
        self.user = user if os.geteuid() == 0 else None
        self.dir = tempfile.mkdtemp(prefix="belljar-reader-")
        os.chmod(self.dir, 0o755)
        if self.user:
            os.chown(self.dir, self.user, self.user)
        self.log = os.path.join(self.dir, "log")
        self.reader = self.sock = None

    def who(self):
        if not self.user:
            return {}
        return {"user": self.user, "group": self.user, "extra_groups": []}

    def environment(self):
        return {"BELLJAR_AUDIT": self.log, "HOME": self.dir}

    def run(self, *words, text=""):
        return subprocess.run(words, input=text, capture_output=True, text=True, timeout=PATIENCE,
                              cwd=self.dir, env=self.environment(), **self.who())

    def make(self, *lines):
        text = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
        result = self.run(MAKER, self.log, "example.com/log", text=text)
        check(result.returncode == 0, result.stderr)

    def audit(self, *words, code=0):
        result = self.run(BELLJAR, "audit", *words)
        check(result.returncode == code, f"{words}: {result.returncode}: {result.stderr}")
        return result.stdout

    def start(self, *words):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(PATIENCE)
        with theirs:
            self.reader = subprocess.Popen(
                [READER, "reader", "--fd", str(theirs.fileno()), *words], cwd="/",
                pass_fds=[theirs.fileno()], env=self.environment(), stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE, **self.who())
        self.sock = ours
        kind, _, _, _, _ = self.hear()
        equal(kind, READY)

    def hear(self):
        """kind, http status, serial, retry after, body"""
        data, beside, flags, _ = self.sock.recvmsg(1 << 20, socket.CMSG_SPACE(64))
        check(data, "the reader is gone")
        check(not flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC), "truncated")
        magic, version, kind, status, serial, length, content, retry = REPLY.unpack(
            data[:REPLY.size])
        equal((magic, version), (MAGIC, VERSION))
        body = data[REPLY.size:]
        for _, _, raw in beside:
            for fd in array.array("i", raw):
                equal(body, b"")
                equal(fcntl.fcntl(fd, fcntl.F_GET_SEALS) & SEALS, SEALS)
                body = os.pread(fd, length + 1, 0)
                os.close(fd)
        equal(len(body), length)
        equal(content, 1 if status >= 400 else 0)
        return kind, status, serial, retry, body

    def ask(self, kind, code=200, /, **texts):
        self.sock.send(request(kind, 4711, **texts))
        said, got, serial, _, body = self.hear()
        equal((said, serial), (ANSWER, 4711))
        check(got == code, f"{got}: {body[:500]}")
        return json.loads(body)

    def end(self):
        """How it went when we are gone."""
        self.sock.close()
        _, self.said = self.reader.communicate(timeout=PATIENCE)
        return self.reader.returncode

    def close(self):
        if self.reader:
            self.sock.close()
            self.reader.communicate(timeout=PATIENCE)
        shutil.rmtree(self.dir)


@contextlib.contextmanager
def place(user, *lines):
    p = Place(user)
    try:
        p.make(*(lines or USUAL))
        p.start()
        yield p
    finally:
        p.close()


def calls(text):
    return [json.loads(line) for line in text.splitlines()]


def query_says_what_the_command_says(user):
    with place(user) as p:
        answer = p.ask(QUERY)
        equal(answer["calls"], calls(p.audit("query", "--json")))
        equal(len(answer["calls"]), 4)
        equal((answer["next"], answer["signed_size"]), (None, 8))
        for words in [dict(tool="delete_user"), dict(client="guest"), dict(session="bjs-1"), dict(status="timeout"),
                      dict(status="open"), dict(decision="deny"), dict(kind="started_up"),
                      dict(tool="nobody"), dict(since="2026-11-15T12:00:02"),
                      dict(until="2026-11-15T12:00:02"), dict(limit="2"), dict(limit="1000"),
                      dict(tool=USUAL[4]["tool"])]:
            (name, value), = words.items()
            equal(p.ask(QUERY, **words)["calls"],
                  calls(p.audit("query", "--json", f"--{name}", value)))
        equal(p.end(), 0)


def pages_follow_each_other(user):
    lines = [USUAL[0]] + [x for n in range(25) for x in (started(n), finished(n))]
    with place(user, *lines, "checkpoint") as p:
        seen, after = [], 0
        for _ in range(10):
            answer = p.ask(QUERY, after=str(after), limit="7")
            seen += answer["calls"]
            after = answer["next"]
            if after is None:
                break
        equal(seen, calls(p.audit("query", "--json", "--limit", "100")))
        equal(p.ask(QUERY, after="999999")["calls"], [])


def wrong_parameters_are_named(user):
    with place(user) as p:
        for kind, name, value in [
                (QUERY, "since", "yesterday-ish"), (QUERY, "until", "13:00"),
                (QUERY, "status", "failed"), (QUERY, "decision", "allowed"),
                (QUERY, "limit", "0"), (QUERY, "limit", "1001"), (QUERY, "limit", "-1"),
                (QUERY, "limit", "x"), (QUERY, "after", "1.5"), (QUERY, "after", "\x00\x01"),
                (RECORD, "index", "one"), (PROOF, "index", "99999999999999999999999"),
                (PROOF, "index", ""), (RECORD, "index", ""), (SHOW, "id", "")]:
            if value.startswith("\0"):
                continue  # it ends there: the same as none
            answer = p.ask(kind, 400, request_id="r-1", **{name: value})
            equal((answer["status"], answer["code"], answer["request_id"]),
                  (400, "bad_request", "r-1"))
            equal(answer["errors"][0]["parameter"], name)
            check(name in answer["detail"], answer)
        answer = p.ask(QUERY, 400, since="2026-11-15", until="2026-11-14")
        equal(answer["errors"][0]["parameter"], "until")


def show_and_record_are_the_log_s_own_lines(user):
    with place(user) as p:
        for word in [f"bj-{2:024x}", "6", "4", "0", f"bj-{4:024x}"]:
            equal(p.ask(SHOW, id=word), json.loads(p.audit("show", "--json", word)))
        with open(os.path.join(p.log, "log", "00000000.jsonl"), "rb") as f:
            lines = f.read().rstrip(b"\0").split(b"\n")
        equal(p.ask(RECORD, index="5")["record"], json.loads(lines[5]))
        for kind, words in [(SHOW, dict(id="bj-unknown")), (SHOW, dict(id="8")),
                            (RECORD, dict(index="8")), (PROOF, dict(index="8")),
                            (SHOW, dict(id="' OR 1=1 --"))]:
            equal(p.ask(kind, 404, **words)["code"], "not_found")


def proofs_hold_without_the_log(user):
    with place(user) as p:
        for index in range(8):
            answer = p.ask(PROOF, index=str(index))
            equal(answer["proof"], p.audit("prove", str(index)))
        result = p.run(BELLJAR, "audit", "verify-proof", "--key",
                       os.path.join(p.log, "key.pub"), "-", text=answer["proof"])
        equal(result.returncode, 0)
        with open(os.path.join(p.log, "checkpoint")) as f:
            equal(p.ask(CHECKPOINT)["checkpoint"], f.read())
        equal(p.ask(CHECKPOINT)["size"], 8)


def verify_is_the_command_s_verdict(user):
    with place(user) as p:
        theirs = json.loads(p.audit("verify", "--json"))
        ours = p.ask(VERIFY)
        check(ours["ok"] and ours["ms"] >= 0, ours)
        equal({k: ours[k] for k in theirs}, theirs)
        path = os.path.join(p.log, "log", "00000000.jsonl")
        with open(path, "r+b") as f:
            text = f.read()
            f.seek(text.index(b"print(1)"))
            f.write(b"print(2)")
        theirs = json.loads(p.audit("verify", "--json", code=1))
        ours = p.ask(VERIFY)
        check(not ours["ok"] and ours["findings"], ours)
        equal({k: ours[k] for k in theirs}, theirs)


def what_is_appended_is_seen(user):
    with place(user) as p:
        equal(len(p.ask(QUERY)["calls"]), 4)
        p.make(started(9), finished(9), "checkpoint")
        equal([c["began"]["record"]["id"] for c in p.ask(QUERY)["calls"]][-1], f"bj-{9:024x}")
        equal(p.ask(SHOW, id=f"bj-{9:024x}")["signed_size"], 10)


def large_answers_come_in_memory_and_in_pages(user):
    big = '{"code":"' + "x" * 50000 + '"}'
    lines = [USUAL[0]] + [x for n in range(360) for x in (started(n, args=big), finished(n))]
    with place(user, *lines, "checkpoint") as p:
        equal(len(p.ask(QUERY, limit="2")["calls"]), 2)
        seen, after, pages = 0, 0, 0
        while after is not None:
            answer = p.ask(QUERY, after=str(after), limit="1000")
            seen, after, pages = seen + len(answer["calls"]), answer["next"], pages + 1
        check(seen == 360 and pages > 1, (seen, pages))
        latest = p.ask(QUERY, limit="1000")["calls"]
        check(latest and latest[-1]["began"]["index"] == 719, len(latest))


def a_verification_lets_others_pass(user):
    lines = [USUAL[0]] + [x for n in range(6000) for x in (started(n), finished(n))]
    with place(user, *lines, "checkpoint") as p:
        p.ask(QUERY, limit="1")  # the index is made
        for kind, serial in [(VERIFY, 1), (QUERY, 2), (VERIFY, 3), (CHECKPOINT, 4)]:
            p.sock.send(request(kind, serial, limit="1"))
        heard = [p.hear() for _ in range(4)]
        equal([h[2] for h in heard], [2, 3, 4, 1])
        equal([h[1] for h in heard], [200, 503, 200, 200])
        check(heard[1][3] >= 1, "no word of when to come back")
        check(json.loads(heard[3][4])["ok"], heard[3])


def nonsense_ends_it_and_nothing_else(user):
    good = request(QUERY)
    for bad in [b"x", good[:-1], good + b"x", struct.pack("=I", 1) + good[4:],
                good[:4] + struct.pack("=I", 99) + good[8:], request(0), request(7),
                request(0xFFFFFFFF), b"\xff" * len(good)]:
        with place(user) as p:
            p.sock.send(bad)
            select.select([p.sock], [], [], PATIENCE)
            equal(p.sock.recv(1), b"")
            equal(p.end(), 0)
    with place(user) as p:
        with open(os.devnull) as null:
            socket.send_fds(p.sock, [good], [null.fileno()])
        equal(p.sock.recv(1), b"")
    with place(user) as p:  # texts without an end
        p.ask(QUERY, 200, tool=b"a" * ROOM)
        p.ask(QUERY, 400, limit=b"9" * ROOM)
        p.ask(SHOW, 404, id=b"\xff" * ROOM)


def it_is_sealed_and_leaves_the_log_alone(user):
    with place(user) as p:
        with open(f"/proc/{p.reader.pid}/status") as f:
            status = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
        equal((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
        equal([int(status[c], 16) for c in ("CapEff", "CapPrm", "CapInh", "CapBnd")], [0] * 4)
        before = {}
        for top, _, files in os.walk(p.log):
            for name in files:
                path = os.path.join(top, name)
                with open(path, "rb") as f:
                    before[path] = f.read()
        for kind in (QUERY, VERIFY, CHECKPOINT):
            p.ask(kind)
        for path, text in before.items():
            if not os.path.relpath(path, p.log).startswith("reader"):
                with open(path, "rb") as f:
                    equal(f.read(), text)
        check(os.path.exists(os.path.join(p.log, "reader", "index.db")), "no index of its own")
        check(not os.path.exists(os.path.join(p.log, "index.db")), "another's index")
        equal(p.end(), 0)
        equal(p.said, b"")


def the_key_that_signs_is_out_of_its_sight(user):
    with place(user) as p:
        key = os.path.join(p.log, "key")
        check(os.stat(key).st_size > 0, "the log has no key")
        seen = f"/proc/{p.reader.pid}/root{key}"
        if os.geteuid() == 0:  # as it sees it
            with open(seen, "rb") as f:
                equal(f.read(), b"")
            with open(seen + ".pub", "rb") as f:
                check(f.read(), "its twin is seen")
        equal(len(p.ask(QUERY)["calls"]), 4)
        # A new key is not covered: it ends, and whoever starts it again covers that.
        with open(key, "rb") as f, open(key + ".new", "wb") as to:
            to.write(f.read())
        os.rename(key + ".new", key)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):  # our words were not read; it had gone
            p.sock.send(request(QUERY))
            equal(p.sock.recv(1), b"")
        equal(p.end(), 0)


def a_damaged_index_is_made_anew(user):
    with place(user) as p:
        equal(len(p.ask(QUERY)["calls"]), 4)
        p.end()
        path = os.path.join(p.log, "reader", "index.db")
        with open(path, "r+b") as f:
            f.write(b"\0" * 4096)
        p.start()
        equal(len(p.ask(QUERY)["calls"]), 4)


def without_a_log_it_does_not_start(user):
    p = Place(user)
    try:
        result = p.run(READER, "reader", "--fd", "3", "--audit", os.path.join(p.dir, "nowhere"))
        equal(result.returncode, 125)
        result = p.run(READER, "reader")
        equal(result.returncode, 125)
        check("usage" in result.stderr, result.stderr)
    finally:
        p.close()


TESTS = [
    query_says_what_the_command_says,
    pages_follow_each_other,
    wrong_parameters_are_named,
    show_and_record_are_the_log_s_own_lines,
    proofs_hold_without_the_log,
    verify_is_the_command_s_verdict,
    what_is_appended_is_seen,
    large_answers_come_in_memory_and_in_pages,
    a_verification_lets_others_pass,
    nonsense_ends_it_and_nothing_else,
    it_is_sealed_and_leaves_the_log_alone,
    the_key_that_signs_is_out_of_its_sight,
    a_damaged_index_is_made_anew,
    without_a_log_it_does_not_start,
]

# The same for everybody, and dear.
LARGE = (large_answers_come_in_memory_and_in_pages, a_verification_lets_others_pass)


def cases():
    users = [("root", 0), ("user", USER)] if os.geteuid() == 0 else [("user", 0)]
    return [(f"{test.__name__} ({who})", functools.partial(test, user)) for who, user in users
            for test in TESTS if test not in LARGE or who == "user"]


if __name__ == "__main__":
    sys.exit(run(cases()))
