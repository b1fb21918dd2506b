#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""auditread_test.py BELLJAR LOG_MAKER PAGE: what belljar audit says of a log is what the log says,
also when the log is hostile, damaged or somebody else's.  As an ordinary user."""
import base64
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from audittap import run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from terminal import said_to_terminal  # noqa: E402

BELLJAR = os.path.realpath(sys.argv[1])
MAKER = os.path.realpath(sys.argv[2])
with open(sys.argv[3]) as page_file:
    PAGE = page_file.read()
USER = 61235
DAY = 86400000
NOON = 1794744000000  # 2026-11-15T12:00:00Z
HOSTILE = "rm\x1b[31m\u202e\u200bgnp\x07\x9b2J"


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def equal(a, b):
    check(a == b, f"{a!r} is not {b!r}")


class Place:
    """A directory of the ordinary user's, with a log in it."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="belljar-auditread-")
        os.chmod(self.dir, 0o755)
        if os.geteuid() == 0:
            os.chown(self.dir, USER, USER)
        self.log = os.path.join(self.dir, "log")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir)

    def who(self):
        return {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}

    def run(self, program, *args, text="", env=(), who=None, **more):
        return subprocess.run(
            [program, *args], input=text, capture_output=True, text=True, timeout=60,
            cwd=self.dir, env={"BELLJAR_AUDIT": self.log, "HOME": self.dir, **dict(env)},
            **(self.who() if who is None else who), **more)

    def make(self, *lines):
        text = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
        result = self.run(MAKER, self.log, "example.com/log", text=text)
        check(result.returncode == 0, result.stderr)
        return [line.split() for line in result.stdout.splitlines()]

    def audit(self, *args, code=0, **more):
        result = self.run(BELLJAR, "audit", *args, **more)
        check(result.returncode == code,
              f"audit {args}: exit code {result.returncode}: {result.stderr} {result.stdout}")
        return result

    def segment(self, number=0):
        return os.path.join(self.log, "log", f"{number:08d}.jsonl")

    def lines(self):
        with open(self.segment(), "rb") as f:
            return f.read().rstrip(b"\0").split(b"\n")[:-1]

    def rewrite(self, change):
        """change(bytes) -> bytes of the first segment, in place."""
        with open(self.segment(), "rb") as f:
            old = f.read()
        new = change(old)
        check(new != old, "the test changes nothing")
        with open(self.segment(), "r+b") as f:
            f.write(new)
            f.truncate()


def call_id(n):
    return f"bj-{n:024x}"


def started(n, **more):
    return dict(kind="started", id=call_id(n), client="research", uid=1000, tool="execute_code",
                args='{"code":"print(1)"}', decision="allow", backend="native",
                time_ms=NOON + n * 1000, **more)


def finished(n, status="success", **more):
    return dict(kind="finished", id=call_id(n), client="research", tool="execute_code",
                status=status, run_us=12345, exit_code=0, time_ms=NOON + n * 1000 + 20, **more)


def denied(n, **more):
    fields = dict(kind="denied", id=call_id(n), client="guest", tool="delete_user",
                  decision="deny", layer="policy", rule="tools.delete_user.args.user_id.enum",
                  reason="999 is not one of 123, 456", time_ms=NOON + n * 1000)
    return dict(fields, **more)


# 0 started_up, 1 policy, 2 3 call 1, 4 6 call 2, 5 denied 3, 7 started 4, 8 9 call 5
USUAL = [
    dict(kind="started_up", version="0.1.0", time_ms=NOON),
    dict(kind="policy_loaded", time_ms=NOON),
    started(1, session="bjs-1"), finished(1, redactions={"jwt": 1, "aws-access-key": 2}),
    started(2), denied(3), finished(2, "timeout", cause="wall"),
    started(4, session="bjs-1"),
    started(5), dict(kind="aborted", id=call_id(5), time_ms=NOON + 9000),
    "checkpoint",
]


def objects(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


# tail

def tail_shows_the_last_records_in_their_order():
    with Place() as p:
        receipts = p.make(*USUAL)
        lines = p.audit("tail").stdout.splitlines()
        equal([line.split()[0] for line in lines], [str(i) for i in range(10)])
        check("denied" in lines[5] and "delete_user" in lines[5] and "999 is not" in lines[5],
              lines[5])
        equal(p.audit("tail", "-n", "2").stdout.splitlines(), lines[-2:])
        equal(p.audit("tail", "--lines=0").stdout, "")
        found = objects(p.audit("tail", "--json"))
        equal([[str(o["index"]), o["leaf_hash"]] for o in found], receipts)
        equal([o["record"] for o in found], [json.loads(x) for x in p.lines()])


def tail_shows_records_that_are_not_signed_yet():
    with Place() as p:
        process = subprocess.Popen([MAKER, p.log, "example.com/log"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, cwd=p.dir, **p.who())
        for line in [json.dumps(started(1)), "checkpoint", json.dumps(finished(1)), "wait"]:
            process.stdin.write(line + "\n")
        process.stdin.flush()
        while process.stdout.readline() != "waiting\n":
            pass
        equal(len(p.audit("tail").stdout.splitlines()), 2)
        story = p.audit("show", call_id(1)).stdout
        check("not signed yet" in story and ", signed" in story, story)
        process.communicate(timeout=20)


def tail_f_shows_what_comes_and_ends_with_a_signal():
    with Place() as p:
        p.make(*USUAL)
        process = subprocess.Popen([BELLJAR, "audit", "tail", "-f", "-n", "1", "--log", p.log],
                                   stdout=subprocess.PIPE, text=True, cwd=p.dir, **p.who())
        check("aborted" in process.stdout.readline(), "the last one first")
        for n in (6, 7):
            p.make(started(n), finished(n))
            check("started" in process.stdout.readline(), "started")
            check("finished" in process.stdout.readline(), "finished")
        process.send_signal(signal.SIGTERM)
        equal(process.wait(timeout=10), 0)


# query

def ids(result):
    return [line.split()[2] for line in result.stdout.splitlines()]


def query_finds_calls_by_what_they_are():
    with Place() as p:
        p.make(*USUAL)
        for words, want in [
            ([], [1, 2, 3, 4, 5]),
            (["--tool", "execute_code"], [1, 2, 4, 5]),
            (["--tool", "nothing"], []),
            (["--client", "guest"], [3]),
            (["--session", "bjs-1"], [1, 4]),
            (["--session", "bjs-1", "--status", "open"], [4]),
            (["--session", "bjs-2"], []),
            (["--status", "timeout"], [2]),
            (["--status", "success", "--tool", "execute_code"], [1]),
            (["--status", "open"], [4]),
            (["--status", "aborted"], [5]),
            (["--status", "denied"], [3]),
            (["--decision", "deny"], [3]),
            (["--decision", "allow"], [1, 2, 4, 5]),
            (["--kind", "denied"], [3]),
            (["--since", "2026-11-15T12:00:04"], [4, 5]),
            (["--until", "2026-11-15T12:00:04Z"], [1, 2, 3]),
            (["--since", "2026-11-15T13:00:02+01:00", "--until", "2026-11-15 12:00:04"], [2, 3]),
            (["--since", "2026-11-16"], []),
            (["--since", "52000w"], [1, 2, 3, 4, 5]),
            (["--limit", "2"], [4, 5]),
            (["--limit", "0"], [1, 2, 3, 4, 5]),
        ]:
            for more in ([], ["--no-index"]):
                equal([words, ids(p.audit("query", *words, *more))],
                      [words, [call_id(n) for n in want]])
        check(os.path.exists(p.log + "/index.db"), "there is an index")
        wrong = p.audit("show", "bjs-1", code=1)
        check("query --session bjs-1" in wrong.stderr, wrong.stderr)


def query_json_has_the_lines_of_the_log():
    with Place() as p:
        p.make(*USUAL)
        lines = [json.loads(x) for x in p.lines()]
        found = objects(p.audit("query", "--json"))
        equal([(o["began"]["index"], o["ended"] and o["ended"]["index"], o["open"])
               for o in found],
              [(2, 3, False), (4, 6, False), (5, None, False), (7, None, True), (8, 9, False)])
        for o in found:
            equal(o["began"]["record"], lines[o["began"]["index"]])
        event, = objects(p.audit("query", "--json", "--kind", "policy_loaded"))
        equal(event["began"]["index"], 1)


def query_reads_only_what_is_new():
    with Place() as p:
        p.make(*USUAL)
        equal(len(ids(p.audit("query"))), 5)
        p.make(finished(4), started(6))
        equal(ids(p.audit("query", "--status", "open")), [call_id(6)])
        equal(ids(p.audit("query", "--status", "success")), [call_id(1), call_id(4)])


def query_agrees_with_a_plain_reading_of_the_log():
    """Random calls, some said twice, some never ended; the model reads the lines one by one."""
    chance = random.Random(7)
    lines, open_calls = [], []
    for n in range(600):
        what = chance.random()
        words = {"tool": chance.choice(["a", "b", "c\\"]), "client": chance.choice(["x", "y"])}
        if what < 0.5:
            lines.append(dict(started(n), **words))
            open_calls.append((n, words))
            if chance.random() < 0.1:
                lines.append(dict(started(n), **words))
        elif what < 0.6:
            lines.append(denied(n, **words))
        elif open_calls:
            k, words = open_calls.pop(chance.randrange(len(open_calls)))
            if chance.random() < 0.1:
                lines.append(dict(kind="aborted", id=call_id(k), time_ms=NOON + n * 1000))
            if lines[-1]["kind"] != "aborted" or chance.random() < 0.5:
                end = dict(finished(k), status=chance.choice(["success", "error"]), **words)
                lines += [end] * chance.choice([1, 1, 1, 2])
    calls = {}
    for line in lines:
        call = calls.setdefault(line["id"], dict(line, state="open"))
        if (call["state"] == "open" and line["kind"] != "started" or
                call["state"] == "aborted" and line["kind"] == "finished"):
            call["state"] = line.get("status", line["kind"])
    with Place() as p:
        half = len(lines) // 2
        p.make(*lines[:half])
        p.audit("query")
        p.make(*lines[half:])
        for _ in range(25):
            question = {key: chance.choice(values) for key, values in {
                "tool": ["a", "b", "c\\"], "client": ["x", "y"],
                "status": ["open", "success", "error", "aborted", "denied"]}.items()
                if chance.random() < 0.6}
            want = [i for i, c in calls.items()
                    if all(c["state" if k == "status" else k] == v for k, v in question.items())]
            limit = chance.choice([0, 1, 5])
            words = [w for k, v in question.items() for w in ("--" + k, v)]
            equal([question, ids(p.audit("query", "--limit", str(limit), *words))],
                  [question, want[-limit:] if limit else want])


def query_says_what_is_wrong_with_the_question():
    with Place() as p:
        p.make(*USUAL)
        for words, complaint in [
            (["--since", "yesterday"], "is no time"), (["--since", "2026-02-30"], "is no time"),
            (["--since", "2026-11-15T25:00"], "is no time"), (["--since", "7"], "is no time"),
            (["--since", "1h", "--until", "2h"], "not later"), (["--limit", "x"], "--limit"),
            (["--tol", "x"], "did you mean --tool"), (["what"], "is too much"),
            (["--follow"], "there is no option"),
            (["--status", "failed"], "give one of aborted, open, unknown, denied, success"),
            (["--decision", "allowed"], "give one of allow, ask, deny"),
            (["--kind", "policy"], "policy_loaded, policy_refused"),
        ]:
            check(complaint in p.audit("query", *words, code=125).stderr, (words, complaint))
        check("did you mean 'query'" in p.audit("qery", code=125).stderr, "qery")
        check("is missing" in p.audit("show", code=125).stderr, "show")
        p.log += "-none"
        check("log-none" in p.audit("tail", code=125).stderr, "which log")


def a_directory_without_a_log_is_no_empty_log():
    with Place() as p:
        os.mkdir(p.log)
        for words in [["tail"], ["query"], ["show", "1"], ["export", "--ocsf"], ["index"],
                      ["prune", "--before", "1d"], ["anchor"], ["prove", "0"]]:
            check("there is no log in" in p.audit(*words, code=125).stderr, words)
        equal(os.listdir(p.log), [])
        p.audit("verify", code=1)


# the index

def a_damaged_index_is_made_anew():
    with Place() as p:
        p.make(*USUAL)
        want = p.audit("query").stdout
        index = p.log + "/index.db"

        def zeroes():
            with open(index, "r+b") as f:
                f.seek(4096)
                f.write(b"\0" * 20000)

        def nonsense():
            with open(index, "wb") as f:
                f.write(b"this is no database at all" * 1000)

        def trigger():
            db = sqlite3.connect(index)
            db.execute("CREATE TRIGGER evil AFTER INSERT ON calls BEGIN DELETE FROM calls; END")
            db.commit()
            db.close()

        def other_rows():
            db = sqlite3.connect(index)
            db.execute("UPDATE calls SET first=first+10000 WHERE first=2")
            db.commit()
            db.close()

        def other_tool():
            db = sqlite3.connect(index)
            db.execute("UPDATE calls SET last=3 WHERE first=4")
            db.commit()
            db.close()

        def too_far():
            db = sqlite3.connect(index)
            db.execute("UPDATE meta SET value=value+5 WHERE name='size'")
            db.commit()
            db.close()

        for damage in (zeroes, nonsense, trigger, other_rows, other_tool, too_far):
            damage()
            result = p.audit("query")
            equal([damage.__name__, result.stdout], [damage.__name__, want])
            check("made anew" in result.stderr, (damage.__name__, result.stderr))
            equal(p.audit("query").stderr, "")


def the_index_of_another_log_is_not_believed():
    with Place() as p, Place() as q:
        p.make(*USUAL)
        q.make(*[dict(x, tool="other") if isinstance(x, dict) else x for x in USUAL])
        equal(len(ids(p.audit("query"))), 5)
        shutil.copy(p.log + "/index.db", q.log + "/index.db")
        if os.geteuid() == 0:
            os.chown(q.log + "/index.db", USER, USER)
        equal(ids(q.audit("query", "--tool", "execute_code")), [])
        equal(len(ids(q.audit("query", "--tool", "other"))), 5)


def an_index_that_cannot_be_ours_is_left_alone():
    with Place() as p:
        p.make(*USUAL)
        victim = p.dir + "/victim"
        with open(victim, "w") as f:
            f.write("precious")
        os.chmod(victim, 0o666)
        os.symlink(victim, p.log + "/index.db")
        result = p.audit("query")
        equal(len(ids(result)), 5)
        check("whole log is read" in result.stderr, result.stderr)
        with open(victim) as f:
            equal(f.read(), "precious")
        p.audit("index", code=125)
        if os.geteuid() == 0:  # somebody else's directory: root reads, and writes nothing there
            os.unlink(p.log + "/index.db")
            p.audit("query")
            before = os.stat(p.log + "/index.db")
            result = p.audit("query", who={})
            equal(len(ids(result)), 5)
            after = os.stat(p.log + "/index.db")
            equal((before.st_ino, before.st_mtime_ns, before.st_uid),
                  (after.st_ino, after.st_mtime_ns, after.st_uid))
            os.unlink(p.log + "/index.db")
            p.audit("query", who={})
            check(not os.path.exists(p.log + "/index.db"), "root left a file")


def index_makes_it_anew():
    with Place() as p:
        p.make(*USUAL)
        equal(p.audit("index").stdout, "10 records, 5 calls\n")
        equal(objects(p.audit("index", "--json")), [{"records": 10, "calls": 5, "bad": 0}])
        check(os.stat(p.log + "/index.db").st_mode & 0o077 == 0, "private")


def many_may_ask_at_once():
    with Place() as p:
        p.make(*USUAL, *[x for n in range(10, 600) for x in (started(n), finished(n))])
        processes = [subprocess.Popen([BELLJAR, "audit", "query", "--limit", "0", "--log", p.log],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      cwd=p.dir, **p.who()) for _ in range(6)]
        outputs = [x.communicate(timeout=60) for x in processes]
        equal([x.returncode for x in processes], [0] * 6)
        equal({(len(out.splitlines()), err) for out, err in outputs}, {(595, "")})


# show

def show_tells_the_story_of_a_call():
    with Place() as p:
        receipts = p.make(*USUAL)
        story = p.audit("show", call_id(1)).stdout
        for words in [
            f"call {call_id(1)}", "2026-11-15T12:00:01.000Z, by research (uid 1000)",
            "execute_code", '{"code":"print(1)"}', "allow", "memory 256 MiB",
            "1 layers in full force, own_uid degraded", "success after 12.3 ms", "exit code 0",
            "memory peak 12 MiB", "2 x aws-access-key, 1 x jwt", "native",
            hashlib.sha256(b"policy").hexdigest(), hashlib.sha256(b"out").hexdigest(),
            f"record 2 (started), leaf {receipts[2][1]}, signed",
            f"record 3 (finished), leaf {receipts[3][1]}, signed",
        ]:
            check(words in story, (words, story))
        equal(p.audit("show", "2").stdout, story)
        equal(p.audit("show", "3").stdout, story)
        refusal = p.audit("show", call_id(3)).stdout
        check("deny, by rule tools.delete_user.args.user_id.enum (policy)" in refusal, refusal)
        check("999 is not one of 123, 456" in refusal, refusal)
        check("nobody saw" in p.audit("show", call_id(5)).stdout, "aborted")
        check("not yet" in p.audit("show", call_id(4)).stdout, "open")
        check("policy_loaded" in p.audit("show", "1").stdout, "a record of no call")
        told, = objects(p.audit("show", "6", "--json"))
        equal([x["index"] for x in told["records"]], [4, 6])
        equal(told["signed_size"], 10)
        check("there is no call" in p.audit("show", "bj-none", code=1).stderr, "unknown id")
        p.audit("show", "1000", code=1)


def show_finds_every_record_of_a_call():
    with Place() as p:
        p.make(started(1), started(1), finished(1), finished(1, "error"))
        told, = objects(p.audit("show", call_id(1), "--json"))
        equal([x["index"] for x in told["records"]], [0, 1, 2, 3])
        equal(ids(p.audit("query")), [call_id(1)])


def an_end_after_an_abort_is_the_end():
    """The scribe died, not the call."""
    with Place() as p:
        p.make(started(1), dict(kind="aborted", id=call_id(1)), finished(1, "timeout"))
        equal(ids(p.audit("query", "--status", "timeout")), [call_id(1)])
        equal(ids(p.audit("query", "--status", "aborted")), [])
        told, = objects(p.audit("show", call_id(1), "--json"))
        equal([x["index"] for x in told["records"]], [0, 1, 2])
        story = p.audit("show", call_id(1)).stdout
        check("aborted" in story and "timeout after" in story, story)


# hostile text

def hostile_text_reaches_no_terminal():
    evil = dict(client=HOSTILE, tool=HOSTILE, reason=HOSTILE, rule=HOSTILE, layer=HOSTILE,
                session=HOSTILE, args=HOSTILE, decision=HOSTILE, detail=HOSTILE)
    with Place() as p:
        p.make(denied(1, **evil), dict(started(2), **evil),
               dict(finished(2), status=HOSTILE, cause=HOSTILE, redactions={HOSTILE: 1}),
               dict(kind="policy_refused", detail=HOSTILE, reason=HOSTILE), "checkpoint")
        p.audit("prove", "0", "--out", "proof")
        for words in [["tail"], ["query"], ["show", "0"], ["show", "1"], ["show", "3"],
                      ["query", "--kind", "policy_refused"], ["query", "--tool", HOSTILE],
                      ["verify"], ["verify-proof", "proof", "--key", p.log + "/key.pub"]]:
            text = p.audit(*words).stdout
            bad = [c for c in text if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0
                   or c in "\u202e\u200b"]
            equal((words, bad), (words, []))
            if words != ["verify"]:
                check(r"rm\x1b[31m\u{202e}\u{200b}gnp" in text, (words, text))
        equal(objects(p.audit("query", "--json"))[0]["began"]["record"]["tool"], HOSTILE)
        check("\u202e" not in on_terminal(p, "query", "--json"), "JSON on a terminal")
        events = on_terminal(p, "export", "--ocsf")
        check(not set("\u202e\u200b\u009b\x7f\x1b") & set(events), "events on a terminal")
        p.audit("show", HOSTILE, code=1)


def on_terminal(p, *words, env=()):
    return said_to_terminal([BELLJAR, "audit", *words], errors=True, cwd=p.dir,
                            env={"BELLJAR_AUDIT": p.log, **dict(env)}, **p.who()).decode()


def what_was_done_in_a_session_is_told_from_calls():
    with Place() as p:
        p.make(dict(started(1), session="bjs-1", action="session_open"),
               dict(finished(1), session="bjs-1", action="session_open"), started(2), finished(2))
        lines = p.audit("tail").stdout.splitlines()
        equal([line.endswith("; session_open in bjs-1") for line in lines],
              [True, True, False, False])
        check("; session_open in bjs-1" in p.audit("query").stdout.splitlines()[0], "query")


def colour_is_for_terminals_that_want_it():
    with Place() as p:
        p.make(*USUAL)
        check("\033[31m" in on_terminal(p, "tail"), "on a terminal")
        check("\033" not in on_terminal(p, "tail", env={"NO_COLOR": "1"}), "NO_COLOR")
        check("\033" not in on_terminal(p, "tail", env={"TERM": "dumb"}), "TERM=dumb")
        check("\033" not in p.audit("tail").stdout, "in a pipe")
        check("\r" not in p.audit("verify").stderr, "a bar in a pipe")


# bad records

def a_line_that_is_no_record_is_named_and_passed_over():
    with Place() as p:
        p.make(started(1), denied(2), denied(3), finished(1), "checkpoint")

        def spoil(text):
            lines = text.split(b"\n")
            lines[1] = lines[1].replace(b'"denied"', b'"dented"')
            lines[2] = b"\x1b[2J" + lines[2][4:]
            return b"\n".join(lines)

        p.rewrite(spoil)
        result = p.audit("query")
        equal(ids(result), [call_id(1)])
        check("record 1 is none" in result.stderr and "record 2 is none" in result.stderr,
              result.stderr)
        check("2 records of the log are none, the first is 1" in p.audit("query").stderr, "again")
        lines = p.audit("tail").stdout.splitlines()
        check("NO RECORD" in lines[1] and "NO RECORD" in lines[2], lines)
        check(all("\x1b" not in x for x in lines), lines)
        equal([o["index"] for o in objects(p.audit("tail", "--json")) if "error" in o], [1, 2])
        check("record 1 is none" in p.audit("show", "1", code=125).stderr, "show")
        equal(len(objects(p.audit("export", "--ocsf", code=1))), 2)
        report, = objects(p.audit("verify", "--json", code=1))
        check({1, 2} <= {f["index"] for f in report["findings"]}, report["findings"])


# verify

def a_log_as_it_was_written_is_well():
    with Place() as p:
        p.make(*USUAL)
        text = p.audit("verify").stdout
        check(text.endswith("the log is what was signed\n"), text)
        check("no anchor was given" in text, text)
        report, = objects(p.audit("verify", "--json", "--key", p.log + "/key.pub"))
        equal((report["valid"], report["records"], report["signed"], report["open_calls"],
               report["findings"]), (True, 10, 10, 1, []))


def any_change_is_found_and_named():
    def swap(text, a, b):
        lines = text.split(b"\n")
        lines[a], lines[b] = lines[b], lines[a]
        return b"\n".join(lines)

    def drop(text, n):
        lines = text.split(b"\n")
        return b"\n".join(lines[:n] + lines[n + 1:])

    changes = [
        (lambda t: t.replace(b"999 is not", b"998 is not"), 5),
        (lambda t: t.replace(b'"timeout"', b'"success"'), 6),
        (lambda t: swap(t, 3, 4), 3),
        (lambda t: drop(t, 7), 7),
        (lambda t: t[:t.index(b"\n") + 1], 1),
    ]
    for change, index in changes:
        with Place() as p:
            p.make(*USUAL)
            p.rewrite(change)
            report, = objects(p.audit("verify", "--json", code=1))
            check(not report["valid"] and report["findings"], report)
            check(index in [f["index"] for f in report["findings"]], (index, report["findings"]))
            check("THE LOG IS NOT WHAT WAS SIGNED" in p.audit("verify", code=1).stdout, "words")


def a_log_that_ends_too_early_is_not_read_as_if_it_were_whole():
    with Place() as p:
        p.make(*USUAL)
        p.rewrite(lambda t: b"".join(t.splitlines(True)[:6]))
        for words in (["query"], ["query", "--no-index"], ["export", "--ocsf"], ["tail"],
                      ["show", call_id(1)]):
            result = p.audit(*words, code=1)
            check("10 records were signed" in result.stderr, (words, result.stderr))
            check(result.stdout, words)
        with open(p.log + "/checkpoint", "w") as f:
            f.write("nonsense\n")
        check("checkpoint cannot be used" in p.audit("query").stderr, "no checkpoint")
        p.audit("anchor", code=125)


def another_key_is_not_believed():
    with Place() as p, Place() as q:
        p.make(*USUAL)
        q.make(*USUAL)
        p.audit("verify", "--key", q.log + "/key.pub", code=1)
        os.unlink(p.log + "/checkpoint")
        p.audit("verify", code=1)


def an_anchor_finds_a_log_that_was_written_anew():
    with Place() as p:
        p.make(*USUAL)
        p.audit("anchor", "--file", "anchors")
        p.make(started(6), finished(6), "checkpoint")
        p.audit("anchor", "--file", "anchors")
        p.audit("anchor", "--file", "anchors")  # nothing new
        with open(p.dir + "/anchors") as f:
            equal(f.read().count("example.com/log\n"), 2)
        text = p.audit("verify", "--anchor", "anchors").stdout
        check("2 anchored checkpoints" in text, text)
        # Whoever has the key cuts the log, and signs what is left.
        with open(p.log + "/key") as f:
            key = f.read()
        public = open(p.log + "/key.pub").read()
        shutil.rmtree(p.log)
        p.make(*USUAL[:-3])
        shutil.rmtree(p.log + "/log")
        shutil.rmtree(p.log + "/tile")
        for name in ("checkpoint", "state"):
            if os.path.exists(f"{p.log}/{name}"):
                os.unlink(f"{p.log}/{name}")
        for name, content in (("key", key), ("key.pub", public)):
            with open(f"{p.log}/{name}", "w") as f:
                f.write(content)
        p.make(*USUAL[:-3], "checkpoint")
        p.audit("verify")  # by itself it looks well
        report, = objects(p.audit("verify", "--anchor", "anchors", "--json", code=1))
        check({f["kind"] for f in report["findings"]} & {"anchor", "truncated"}, report)
        check("anchors:" in p.audit("verify", "--anchor", "anchors", code=1).stdout, "its name")
        check("shorter" in p.audit("anchor", "--file", "anchors", code=1).stderr, "anchor")


def anchors_go_where_they_are_sent():
    with Place() as p:
        p.make(*USUAL)
        note = p.audit("anchor").stdout
        origin, size, root = note.splitlines()[:3]
        equal((origin, size), ("example.com/log", "10"))
        told, = objects(p.audit("anchor", "--json"))
        equal((told["origin"], told["size"], told["checkpoint"]), (origin, 10, note))
        equal(bytes.fromhex(told["root"]), base64.b64decode(root))
        p.audit("anchor", "--command", "/usr/bin/tee", "--", p.dir + "/copy")
        with open(p.dir + "/copy") as f:
            equal(f.read(), note)
        check("ended with 1" in p.audit("anchor", "--command", "/bin/false", code=125).stderr, "1")
        p.audit("anchor", "--command", "/nonexistent", code=125)
        p.audit("anchor", "what", code=125)
        p.audit("anchor", "--syslog")
        signature = note.splitlines()[4].split()[2]
        with open(p.dir + "/syslog", "w") as f:
            f.write("Nov 15 12:00:00 host something: else\n"
                    f"Nov 15 12:00:00 host belljar[7]: belljar-checkpoint {origin} {size} {root} "
                    f"{signature}\n")
        check("1 anchored checkpoints" in p.audit("verify", "--anchor", "syslog").stdout, "syslog")
        with open(p.dir + "/empty", "w") as f:
            f.write("nothing\n")
        check("no checkpoint" in p.audit("verify", "--anchor", "empty", code=125).stderr, "empty")


# proofs

def a_proof_holds_without_the_log():
    with Place() as p:
        receipts = p.make(*USUAL)
        line = p.lines()[6].decode()
        key = shutil.copy(p.log + "/key.pub", p.dir + "/believed")
        p.audit("prove", "6", "--out", "proof")
        p.audit("prove", "6", "--out", "proof", code=125)  # not overwritten
        p.audit("prove", "6", "--no-record", "--out", "short")
        equal(p.audit("prove", "6").stdout, open(p.dir + "/proof").read())
        check("record 10" in p.audit("prove", "10", code=1).stderr, "no such record")
        p.log += "-gone"
        held = p.audit("verify-proof", "proof", "--key", key).stdout
        check("the proof holds: record 6 of the 10 records of example.com/log" in held, held)
        check("timeout: wall" in held, held)
        told, = objects(p.audit("verify-proof", "proof", "--key", key, "--json"))
        equal((told["valid"], told["index"], told["leaf_hash"]), (True, 6, receipts[6][1]))
        equal(told["proven"]["record"], json.loads(line))
        held = p.audit("verify-proof", "short", "--key", key).stdout
        check("not in the proof" in held and receipts[6][1] in held, held)
        p.audit("verify-proof", "-", "--key", key, text=open(p.dir + "/proof").read())
        check("--key" in p.audit("verify-proof", "proof", code=125).stderr, "which key")


def a_proof_with_one_other_byte_does_not_hold():
    with Place() as p, Place() as q:
        p.make(*USUAL)
        q.make(*USUAL)
        p.audit("prove", "6", "--out", "proof")
        with open(p.dir + "/proof", "rb") as f:
            proof = f.read()
        key = p.log + "/key.pub"
        for at in range(0, len(proof), 37):
            other = bytearray(proof)
            other[at] ^= 1
            with open(p.dir + "/other", "wb") as f:
                f.write(other)
            told, = objects(p.audit("verify-proof", "other", "--key", key, "--json", code=1))
            equal(told, {"valid": False})
        p.audit("verify-proof", "proof", "--key", q.log + "/key.pub", code=1)


def what_is_no_proof_does_not_hold():
    with Place() as p:
        p.make(*USUAL)
        key = p.log + "/key.pub"
        for file, code in (("/dev/null", 1), ("/dev/zero", 1), (key, 1), ("/nosuch", 125), ("/", 125)):
            told = p.audit("verify-proof", file, "--key", key, "--json", code=code)
            equal(told.stdout, '{"valid":false}\n' if code == 1 else "")
        p.audit("verify-proof", "/dev/null", "--key", "/dev/null", code=125)


def a_record_that_was_changed_cannot_be_proven():
    with Place() as p:
        p.make(*USUAL)
        name, = [n for n in os.listdir(p.log + "/log") if n.endswith(".jsonl")]
        with open(p.log + "/log/" + name, "rb") as f:
            lines = f.read().split(b"\n")
        lines[6] = lines[6].replace(b"timeout", b"success", 1)
        with open(p.log + "/log/" + name, "wb") as f:
            f.write(b"\n".join(lines))
        told = p.audit("prove", "6", code=1)
        check("verify the log" in told.stderr and not told.stdout, told)


# export

def export_is_ocsf():
    classes = {"started_up": (6002, 3), "policy_loaded": (6002, 99), "started": (1007, 1),
               "finished": (1007, 2), "aborted": (1007, 2), "denied": (6003, 99)}
    with Place() as p:
        receipts = p.make(*USUAL, dict(finished(4), canary=True))
        lines = p.lines()
        events = objects(p.audit("export", "--ocsf"))
        equal(len(events), 11)
        for i, (event, line) in enumerate(zip(events, lines)):
            record = json.loads(line)
            equal((event["class_uid"], event["activity_id"]), classes[record["kind"]])
            equal(event["type_uid"], event["class_uid"] * 100 + event["activity_id"])
            equal(event["category_uid"], event["class_uid"] // 1000)
            equal(event["metadata"]["sequence"], i)
            equal(event["metadata"]["version"], "1.8.0")
            equal(event["metadata"]["uid"], receipts[i][1])
            equal(event["raw_data"].encode(), line)
            equal(event["raw_data_hash"]["value"], hashlib.sha256(line).hexdigest())
            check({"time", "severity_id", "status_id", "device"} <= set(event), event)
            if event["class_uid"] == 1007:
                check({"actor", "process", "action_id"} <= set(event), event)
            if event["class_uid"] == 6003:
                check({"actor", "api", "src_endpoint"} <= set(event), event)
                equal((event["action_id"], event["disposition_id"]), (2, 2))
        equal(events[6]["status_id"], 2)
        equal(events[3]["exit_code"], 0)
        equal((events[10]["severity_id"], events[10]["is_alert"]), (5, True))
        some = objects(p.audit("export", "--ocsf", "--since", "2026-11-15T12:00:03",
                               "--until", "2026-11-15T12:00:04"))
        equal([e["metadata"]["sequence"] for e in some], [5])
        check("--ocsf" in p.audit("export", code=125).stderr, "which form")


# the manual page, and readers that are not ours

def commands_of(page, title):
    """The literal blocks of a section, as the shell gets them."""
    section = re.search(rf"^\.Sh {title}\n(.*?)^\.Sh ", page, re.M | re.S)[1]
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", section, re.M | re.S)
    return [b.replace("\\e", "\\") for b in blocks]


def the_manual_page_verifies_a_log_with_other_tools():
    with Place() as p:
        receipts = p.make(*USUAL)
        leaf, signature = commands_of(PAGE, "VERIFYING WITH OTHER TOOLS")
        path = {"PATH": "/usr/bin:/bin"}
        told = p.run("/bin/sh", "-c", "cd log && " + leaf, env=path)
        equal(told.stdout.split()[0], receipts[0][1])
        if not shutil.which("openssl", path="/usr/bin:/bin"):
            return
        for change, code in ((None, 0), ("s/^10$/11/", 1)):
            if change:
                p.run("/usr/bin/sed", "-i", change, p.log + "/checkpoint")
            told = p.run("/bin/sh", "-c", "cd log && " + signature, env=path)
            equal(told.returncode, code)
            check(code or not told.stderr, told.stderr)  # some versions say more about a bad signature


def the_manual_page_names_every_kind_and_field():
    with Place() as p:
        p.make(*USUAL, dict(finished(4), canary=True, signal=9, session="s", detail="d"))
        named = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"^\.It Li (.*)$", PAGE, re.M))))
        for record in objects(p.audit("tail", "--json")):
            equal(set(record["record"]) - named, set())
            check(record["record"]["kind"] in named, record)


def a_proof_is_what_rfc_6962_says():
    """Computed again from the lines alone, without any code of belljar's."""
    def leaf(line):
        return hashlib.sha256(b"\0" + line).digest()

    def node(left, right):
        return hashlib.sha256(b"\1" + left + right).digest()

    def root(lines):
        if len(lines) == 1:
            return leaf(lines[0])
        half = 1 << (len(lines) - 1).bit_length() - 1
        return node(root(lines[:half]), root(lines[half:]))

    def path(index, lines):
        if len(lines) == 1:
            return []
        half = 1 << (len(lines) - 1).bit_length() - 1
        if index < half:
            return path(index, lines[:half]) + [root(lines[half:])]
        return path(index - half, lines[half:]) + [root(lines[:half])]

    with Place() as p:
        p.make(*USUAL)
        lines = p.lines()
        for index in range(len(lines)):
            text = p.audit("prove", str(index)).stdout
            proof, checkpoint = text.split("\n\n", 1)
            first, extra, number, *hashes = proof.split("\n")
            equal((first, number), ("c2sp.org/tlog-proof@v1", f"index {index}"))
            equal(base64.b64decode(extra.split(" ")[1]), lines[index])
            equal([base64.b64decode(h) for h in hashes], path(index, lines))
            equal(checkpoint.split("\n")[1:3], ["10", base64.b64encode(root(lines)).decode()])


# what belljar itself wrote

def a_call_can_be_read_proved_and_verified():
    with Place() as p:
        answer = p.run(BELLJAR, "call", "no_such_tool", "--args", "{}", "--json",
                       env={"BELLJAR_STATE": p.dir + "/state"})
        receipt = json.loads(answer.stdout)["receipt"]
        hit, = objects(p.audit("query", "--status", "denied", "--json"))
        equal((hit["began"]["index"], hit["began"]["leaf_hash"]),
              (receipt["index"], receipt["leaf_hash"]))
        story = p.audit("show", json.loads(answer.stdout)["id"]).stdout
        check("no_such_tool" in story and "deny" in story, story)
        # It is signed within 100 ms, and the scribe goes when it is idle.
        wait_until(lambda: nobody_writes(p.log))
        p.audit("verify")
        proof = p.audit("prove", str(receipt["index"])).stdout
        told, = objects(p.audit("verify-proof", "-", "--key", p.log + "/key.pub", "--json",
                                text=proof))
        equal(told["leaf_hash"], receipt["leaf_hash"])


def nobody_writes(log):
    with open(log + "/lock", "r+b") as f:
        try:
            fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def wait_until(done):
    for _ in range(300):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("waited too long")


# the command

def help_names_every_word():
    with Place() as p:
        text = p.audit("--help").stdout
        for word in ("tail", "query", "show", "verify", "prove", "verify-proof", "export",
                     "anchor", "index"):
            check(re.search(rf"^belljar audit {word}\b", text, re.M), word)
            check(p.audit(word, "--help").stdout.startswith(f"usage: belljar audit {word}"), word)
        p.audit(code=125)


def an_output_that_cannot_be_written_is_an_error():
    with Place() as p:
        p.make(*USUAL)
        with open("/dev/full", "w") as full:
            result = subprocess.run([BELLJAR, "audit", "tail", "--log", p.log], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=20, cwd=p.dir,
                                    **p.who())
        equal(result.returncode, 125)
        check("No space left" in result.stderr, result.stderr)


TESTS = [value for value in list(globals().values())
         if callable(value) and getattr(value, "__module__", "") == "__main__"
         and value.__name__ not in ("check", "equal", "Place", "call_id", "started", "finished",
                                    "denied", "objects", "ids", "on_terminal", "nobody_writes",
                                    "commands_of", "wait_until")]


if __name__ == "__main__":
    sys.exit(run([(test.__name__, test) for test in TESTS]))
