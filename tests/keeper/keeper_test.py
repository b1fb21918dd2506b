#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""keeper_test.py GATE BELLJAR SCRIBE [NAME]: a keeper from outside, by whoever plays its front.

Every test has a keeper, a log and a state of its own.  Those that need a box run as root and as an
ordinary user.
"""
import base64
import contextlib
import glob
import json
import os
import signal
import sys
import time

from fakefront import INLINE, MAGIC, REQUEST, VERSION, Keeper

GATE, BELLJAR, SCRIBE = (os.path.realpath(p) for p in sys.argv[1:4])
USER = 61234
WARDEN_LOST = 75  # wardentalk.h
SECRET = "tr0ub4dor-and-3-more"
POLICY = """version: 1
allow_degraded: [memory, processes, cpu, own_uid]
clients:
  local: { uid: any, tools: [code, line, say, seldom, both, mute] }
  other: { uid: [4242], tools: [say] }
tools:
  code:
    kind: code
    languages: [python, bash]
    rate: unlimited
    limits: { wall: 20s, output: 2000 }
    screen: { mode: warn }
    env_allow: [COLOUR]
    artifacts: { allow: true, files: 4, bytes: 100k }
    secrets: { word: { file: SECRETFILE, env: WORD } }
  line: { kind: command, programs: [echo, cat, sleep], rate: unlimited }
  say: { kind: command, exec: [echo, "{word}"], args: { word: { type: string } }, rate: unlimited }
  seldom: { kind: command, exec: [echo, hi], rate: 1/hour }
  both: { kind: code, languages: [bash], fresh: true, rate: unlimited }
  mute: { kind: code, languages: [bash], rate: unlimited, redact: { mode: "off" } }
  hidden: { kind: code, languages: [bash] }
"""


class Skip(Exception):
    pass


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def same(got, want):
    check(got == want, f"{got!r} is not {want!r}")


def wait_for(truth, what="it did not happen", seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if truth():
            return
        time.sleep(0.01)
    raise AssertionError(what)


def keeper(uid=None, policy=POLICY, **more):
    secret = f"/var/tmp/belljar-keeper-secret-{os.getpid()}-{uid or 0}"
    with open(secret, "w", encoding="utf-8") as out:
        os.fchmod(out.fileno(), 0o600)
        out.write(SECRET + "\n")
    if uid:
        os.chown(secret, uid, uid)
    k = Keeper(GATE, BELLJAR, SCRIBE, policy.replace("SECRETFILE", secret), uid=uid, **more)
    k.secret = secret
    return k


def ready(uid=None, **more):
    k = keeper(uid, **more)
    k.ready()
    return k


def run(k, code, language="python", tool="code", seen=None, **more):
    return k.ask("call", {"tool_name": tool, "code": code, "language": language, **more}, seen)


def log_lines(k):
    lines = []
    for name in glob.glob(f"{k.dir}/audit/**/*", recursive=True):
        if not os.path.isfile(name):
            continue
        with open(name, "rb") as log:
            for line in log.read().split(b"\n"):
                if line.startswith(b'{"') and b'"kind"' in line:
                    lines.append(line.decode(errors="replace"))
    return lines


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except FileNotFoundError:
        return []


# What a call is answered.


def test_who_does_not_follow_hears_the_same(uid):
    with ready(uid) as k:
        body = {"tool_name": "code", "code": "print(6 * 7)", "language": "python"}
        seen = []
        a = k.wait(k.send("call", body, follows=0), seen).json()
        same((a["status"], a["output"]), ("success", "42\n"))
        same([s.kind for s in seen], ["begun", "output"])
        same(seen[1].body, b"42\n")
        # What takes long, or prints more than a pipe holds, is heard while it runs.
        code = "print('a' * 300000)\nimport sys\nsys.stdin.readline()\n"
        serial = k.send("call", {**body, "code": code, "stdin_open": True}, follows=0)
        same([k.take().kind, k.take().kind], ["begun", "output"])
        seen = []
        same(k.wait(k.send("input", b"go on\n", target=serial), seen).json(), {"accepted": 6})
        a = k.wait(serial, seen).json()
        same((a["status"], a["stdout"]["bytes_seen"]), ("success", 300001))


def test_a_call_is_run_and_answered(uid):
    with ready(uid) as k:
        seen = []
        r = run(k, "print(6 * 7)", seen=seen)
        a = r.json()
        same((r.http, a["success"], a["output"], a["error"]), (200, True, "42\n", None))
        same((a["status"], a["exit_code"], a["client"], a["tool"]), ("success", 0, "local", "code"))
        same(a["request_id"], "req-1")
        check(a["receipt"]["index"] > a["receipt_started"]["index"])
        same([s.kind for s in seen], ["begun", "output"])
        begun = seen[0].json()
        same((begun["id"], seen[0].id), (a["id"], a["id"]))
        same(begun["receipt"], a["receipt_started"])
        same((seen[1].body, seen[1].stream, seen[1].offset), (b"42\n", 1, 0))
        same((r.facts["tool"], r.facts["ran"], r.facts["output_bytes"]), ("code", 1, 3))
        check(r.facts["path_us"] >= r.facts["run_us"] > 0)


def test_a_failure_says_what_the_program_said(uid):
    with ready(uid) as k:
        a = run(k, "echo it went wrong >&2; exit 3", "bash").json()
        same((a["success"], a["status"], a["exit_code"], a["error"]),
             (False, "error", 3, "it went wrong"))
        a = run(k, "exit 4", "bash").json()
        same(a["error"], "its exit code is 4")
        a = run(k, "kill -9 $$", "bash").json()
        same((a["status"], a["signal"]), ("error", 9))
        a = run(k, "while :; do :; done", "bash", limits={"wall": "300ms"}).json()
        same((a["status"], a["kill_reason"]), ("timeout", "wall"))
        same(a["error"], "its wall-clock time was used up")


def test_the_face_for_tools_has_data_and_json(_uid):
    with ready() as k:
        r = k.ask("call", {"arguments": {"word": '{"a": [1, 2]}'}}, shape=1, tool="say")
        a = r.json()
        same((a["status"], a["data"], a["json"]), ("success", '{"a": [1, 2]}\n', {"a": [1, 2]}))
        same((a["error"], a["why"], a["account"]["exit_code"]), (None, None, 0))
        a = k.ask("call", {"arguments": {"word": "x"}}, shape=1, tool="say").json()
        check("json" not in a)
        a = k.ask("call", {"arguments": {}}, shape=1, tool="say").json()
        same((a["status"], a["why"]["rule"]),
             ("permission_denied", "tools.say.args.word.required"))


BAD = [  # body, pointer, a part of what is said
    (b"", None, "no body"),
    (b"{", None, "line 1"),
    (b"[]", "", "give an object, not a list"),
    (b"\xff\xfe", None, ""),
    (b'{"tool_name":"code","tool_name":"code"}', None, "duplicate"),
    (b'{"tool_name":"a\\u0000b"}', None, "NUL"),
    (b'{"tool_name":' + b"[" * 100 + b"]" * 100 + b"}", None, "nesting"),
    ({"code": "1"}, "/tool_name", "missing"),
    ({"tool_name": 7}, "/tool_name", "not an integer"),
    ({"tool_name": ""}, "/tool_name", "1 to 64"),
    ({"tool_name": "code", "cod": "1"}, "/cod", "did you mean 'code'"),
    ({"tool_name": "code", "a/b~c": 1}, "/a~1b~0c", "no member"),
    ({"tool_name": "code", "language": "pyton"}, "/language", "did you mean 'python'"),
    ({"tool_name": "code", "limits": {"wall": "5 parsecs"}}, "/limits/wall", "unit"),
    ({"tool_name": "code", "limits": {"wall": -1}}, "/limits/wall", ""),
    ({"tool_name": "code", "limits": {"wall": 1.5}}, "/limits/wall", "not a number"),
    ({"tool_name": "code", "limits": {"memory": "999999999g"}}, "/limits/memory", ""),
    ({"tool_name": "code", "limits": []}, "/limits", "not a list"),
    ({"tool_name": "code", "files": [{"path": "x"}]}, "/files/0", "content"),
    ({"tool_name": "code", "files": [{"path": "x", "content": "", "content_base64": ""}]},
     "/files/0", "not both"),
    ({"tool_name": "code", "files": [{"path": "x", "content_base64": "a"}]},
     "/files/0/content_base64", "base64"),
    ({"tool_name": "code", "files": [{"path": "x", "content_base64": "ab=="}]},
     "/files/0/content_base64", "base64"),
    ({"tool_name": "code", "files": [{"path": "x", "content": "a"}] * 65}, "/files", "64"),
    ({"tool_name": "code", "env": {"A": 1}}, "/env/A", "give a string"),
    ({"tool_name": "code", "env": [1]}, "/env", "not a list"),
    ({"tool_name": "code", "artifacts": [7]}, "/artifacts/0", "not an integer"),
    ({"tool_name": "code", "detach": "yes"}, "/detach", "true or false"),
    ({"tool_name": "code", "arguments": "x"}, "/arguments", "an object"),
    ({"tool_name": "code", "code": "1", "arguments": {"code": "2"}}, "/code", "in arguments"),
]


def test_what_is_no_request_is_a_problem_that_says_where(_uid):
    with ready() as k:
        for body, pointer, said in BAD:
            r = k.ask("call", body)
            p = r.json()
            same((r.http, r.content, p["code"], p["status"]), (400, 1, "invalid_body", 400))
            same(p["type"], "https://belljar.dev/problems/invalid_body")
            check(p["request_id"] == "req-1" and p["title"])
            if pointer is not None:
                same(p["errors"][0]["pointer"], pointer)
                check(said in p["errors"][0]["detail"], f"{p}")
            else:
                check("errors" not in p and said in p["detail"], f"{p}")
        same(run(k, "print(1)").json()["output"], "1\n")
        r = k.ask("call", {"tool_name": "say"}, shape=1, tool="say")
        same(r.json()["errors"][0]["pointer"], "/tool_name")


def test_a_hidden_tool_and_none_are_answered_alike(_uid):
    with ready() as k:
        answers = []
        for name in ("hidden", "nowhere"):
            r = run(k, "1", tool=name)
            a = r.json()
            same((r.http, a["status"], a["decision"]), (200, "denied", "deny"))
            answers.append((a["why"]["layer"], a["why"]["permanent"], r.facts["tool"]))
        same(answers[0], answers[1])
        same(k.ask("call", {"tool_name": "code", "code": "1"}, client="nobody").json()["status"],
             "denied")
        same(k.ask("screen", {"command": "ls", "tool_name": "hidden"}).http, 404)


def test_limits_only_become_narrower(_uid):
    with ready() as k:
        r = run(k, "1", limits={"wall": "21s"})
        a = r.json()
        same((r.http, a["status"], a["why"]["layer"]), (200, "denied", "policy"))
        same((a["why"]["rule"], a["why"]["what"]),
             ("tools.code.limits.wall", "limits.wall: at most 20 s"))
        same(r.facts["rule"], "tools.code.limits.wall")
        a = run(k, "print('x' * 500)", limits={"output": 100, "processes": 5, "wall": 5000}).json()
        same((a["limits"]["output_bytes"], a["limits"]["processes"], a["limits"]["wall_ms"]),
             (100, 5, 5000))
        same((len(a["output"]), a["stdout"]["truncated"]), (100, True))


def test_too_often_is_429_with_the_same_answer(_uid):
    with ready() as k:
        same(k.ask("call", {"tool_name": "seldom"}).http, 200)
        r = k.ask("call", {"tool_name": "seldom"})
        a = r.json()
        same((r.http, a["status"], a["why"]["layer"]), (429, "denied", "limit"))
        check(0 < r.retry <= 3600, f"{r.retry}")
        same(k.ask("check", {"tool_name": "seldom"}).http, 429)


def test_variables_need_a_name_that_the_tool_allows(_uid):
    with ready() as k:
        a = run(k, "echo $COLOUR", "bash", env={"COLOUR": "red"}).json()
        same(a["output"], "red\n")
        for name in ("LD_PRELOAD", "PATH", "WORD", "BASH_ENV"):
            a = run(k, "echo no", "bash", env={name: "x"}).json()
            same((a["status"], a["why"]["rule"]), ("denied", "tools.code.env_allow"))


def test_files_go_in(uid):
    with ready(uid) as k:
        a = run(k, "cat data/a.txt; ./run.sh; wc -c < b.bin", "bash", files=[
            {"path": "data/a.txt", "content": "hello\n"},
            {"path": "run.sh", "content": "#!/bin/sh\necho ran\n", "executable": True},
            {"path": "b.bin", "content_base64": base64.b64encode(bytes(range(256))).decode()},
        ]).json()
        same((a["status"], a["output"]), ("success", "hello\nran\n256\n"))
        for path in ("../x", "/etc/x", "a//b", "a/../b", "."):
            a = run(k, "echo no", "bash", files=[{"path": path, "content": ""}]).json()
            same((a["status"], a["output"]), ("denied", ""))
        # The code is a file, too.
        a = run(k, "echo no", "bash", files=[{"path": "main.sh", "content": "echo mine"}]).json()
        check(a["status"] in ("denied", "error") and a["output"] == "", f"{a}")
        same(run(k, "ls | wc -l", "bash").json()["output"], "1\n")
        a = k.ask("call", {"tool_name": "say", "arguments": {"word": "x"},
                           "files": [{"path": "x", "content": ""}]}).json()
        same((a["status"], a["why"]["rule"]), ("denied", "tools.say.exec"))


def test_a_large_body_comes_in_a_file(_uid):
    with ready() as k:
        text = "x" * (3 * INLINE)
        a = run(k, "import sys; print(len(sys.stdin.read()))", stdin=text).json()
        same(a["output"], f"{len(text)}\n")


def test_files_come_out_without_secrets(uid):
    with ready(uid) as k:
        code = ("import os\nos.mkdir('out')\n"
                "open('out/a.txt', 'w').write('word ' + os.environ['WORD'] + '\\n')\n"
                "open('out/b.bin', 'wb').write(bytes(range(256)))\n"
                "open('out/c.bin', 'wb').write(b'\\0\\xff' + os.environ['WORD'].encode())\n"
                "os.symlink('/etc/passwd', 'out/link')\n")
        a = run(k, code, artifacts=["out/*"]).json()
        same(a["status"], "success")
        got = {f["name"]: f for f in a["artifacts"]}
        text = base64.b64decode(got["out/a.txt"]["content_base64"]).decode()
        same((text, got["out/a.txt"]["redacted"]), ("word [REDACTED:secret:word]\n", True))
        same(base64.b64decode(got["out/b.bin"]["content_base64"]), bytes(range(256)))
        check(not got["out/c.bin"]["copied"] and "content_base64" not in got["out/c.bin"])
        check("out/link" not in got or not got["out/link"]["copied"])
        check(SECRET not in json.dumps(a))
        # Nor is a name that the program chose a way out.
        code = ("import os\nw = os.environ['WORD']\nos.mkdir('d-' + w)\n"
                "open('d-' + w + '/f', 'w').write('x')\nopen(w, 'w').write('y')\n"
                "open('plain', 'w').write('z')\n")
        a = run(k, code, artifacts=["**"]).json()
        got = {f["name"]: f for f in a["artifacts"]}
        check(SECRET not in json.dumps(a), f"{a['artifacts']}")
        check(got["plain"]["copied"], f"{a['artifacts']}")
        check(not got["[REDACTED:secret:word]"]["copied"], f"{a['artifacts']}")
        check("content_base64" not in got["[REDACTED:secret:word]"])
        a = run(k, "head -c 200000 /dev/zero > big", "bash", artifacts=["big"]).json()
        check(not a["artifacts"][0]["copied"], f"{a['artifacts']}")
        a = k.ask("call", {"tool_name": "line", "arguments": {"command": "echo x"},
                           "artifacts": ["*"]}).json()
        same((a["status"], a["why"]["rule"]), ("denied", "tools.line.artifacts.allow"))
        for bad in ("/etc/*", "../x"):
            same(run(k, "print(1)", artifacts=[bad]).json()["status"], "denied")


# While it runs.


def test_output_comes_while_it_runs_and_never_with_a_secret(uid):
    code = ("import os, sys, time\n"
            "w = os.environ['WORD']\n"
            "sys.stdout.write('first\\n'); sys.stdout.flush()\n"
            "sys.stdin.readline()\n"
            "for i in range(len(w)):\n"
            "    sys.stdout.write(w[i]); sys.stdout.flush(); time.sleep(0.003)\n"
            "sys.stdout.write('\\nlast\\n')\n")
    with ready(uid) as k:
        serial = k.send("call", {"tool_name": "code", "code": code, "language": "python",
                                 "stdin_open": True})
        same(k.take().kind, "begun")
        first = k.take()
        same((first.kind, first.body), ("output", b"first\n"))
        seen = []
        same(k.wait(k.send("input", b"go on\n", target=serial), seen).json(), {"accepted": 6})
        a = k.wait(serial, seen).json()
        pieces = [first] + [s for s in seen if s.kind == "output" and s.stream == 1]
        whole = b""
        for p in pieces:
            same(p.offset, len(whole))
            whole += p.body
        same(whole.decode(), a["output"])
        same(a["output"], "first\n[REDACTED:secret:word]\nlast\n")
        same(a["redactions"], [{"rule": "secret:word", "count": 1}])


def test_no_more_is_told_than_is_kept(_uid):
    with ready() as k:
        seen = []
        a = run(k, "print('y' * 100000)", seen=seen).json()
        told = b"".join(s.body for s in seen if s.kind == "output")
        same((len(told), a["stdout"]["truncated"]), (2000, True))
        same(told.decode(), a["output"])


def test_a_call_is_cancelled(uid):
    with ready(uid) as k:
        serial = k.send("call", {"tool_name": "line", "arguments": {"command": "sleep 60"}})
        begun = k.take()
        same((begun.kind, begun.facts["tool"]), ("begun", "line"))
        same(k.ask("cancel", target=serial + 1000).http, 409)
        same(k.ask("call", {"tool_name": "say", "arguments": {"word": "x"}}).http, 503)
        k.send("cancel", target=serial, serial=0)
        a = k.wait(serial).json()
        same((a["status"], a["kill_reason"], a["error"]), ("error", "cancelled", "it was cancelled"))
        same(k.ask("cancel", target=serial).http, 409)
        same(run(k, "print(1)").json()["output"], "1\n")


CATCH = """
import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: print("heard", flush=True))
print("there", flush=True)
for line in sys.stdin:
    print("line", line, end="", flush=True)
"""


def test_a_signal_reaches_the_program_of_a_call(uid):
    with ready(uid) as k:
        serial = k.send("call", {"tool_name": "code", "code": CATCH, "language": "python",
                                 "stdin_open": True})
        same(k.take().kind, "begun")
        same(k.take().body, b"there\n")
        same(k.wait(k.send("signal", {"signal": "USR1"}, target=serial)).json(), {"signal": 10})
        same(k.take().body, b"heard\n")
        same(k.wait(k.send("signal", {"signal": "NONE"}, target=serial)).http, 400)
        same(k.wait(k.send("signal", b" " * 5000000, target=serial)).http, 400)
        same(k.wait(k.send("signal", target=serial + 1, number=10)).http, 409)
        # The last line and the end of the input at once.
        k.send("input", b"end\n", target=serial, number=1)
        a = k.wait(serial, []).json()
        same((a["status"], a["output"]), ("success", "there\nheard\nline end\n"))
        same(k.ask("signal", target=serial, number=10).http, 409)
        same(run(k, "print(1)").json()["output"], "1\n")


def test_a_signal_that_nobody_catches_ends_the_program(uid):
    with ready(uid) as k:
        serial = k.send("call", {"tool_name": "line", "arguments": {"command": "sleep 60"}})
        same(k.take().kind, "begun")
        same(k.ask("signal", target=serial, number=15).json(), {"signal": 15})
        a = k.wait(serial).json()
        same((a["status"], a["signal"], a["kill_reason"]), ("error", 15, "signal"))


def test_a_call_is_killed_by_the_last_signal(_uid):
    with ready() as k:
        serial = k.send("call", {"tool_name": "line", "arguments": {"command": "sleep 60"}})
        same(k.take().kind, "begun")
        same(k.ask("signal", target=serial, number=9).json(), {"signal": 9})
        same(k.wait(serial).json()["kill_reason"], "cancelled")


def test_input_streams_in_and_ends(_uid):
    with ready() as k:
        serial = k.send("call", {"tool_name": "line", "arguments": {"command": "cat"},
                                 "stdin_open": True})
        same(k.take().kind, "begun")
        seen = []
        sent = b""
        for i in range(20):
            piece = b"%d\n" % i
            same(k.wait(k.send("input", piece, target=serial), seen).http, 200)
            sent += piece
        same(k.wait(k.send("input", b"", target=serial), seen).json(), {"accepted": 0})
        late = k.wait(k.send("input", b"x", target=serial), seen)
        check(late.http == 409, f"{late.http}")
        a = [s for s in seen if s.kind == "answer"]
        a = a[0].json() if a else k.wait(serial, seen).json()
        same(a["output"].encode(), sent)


def test_bytes_and_the_end_of_input_come_together(_uid):
    with ready() as k:
        serial = k.send("call", {"tool_name": "line", "arguments": {"command": "cat"},
                                 "stdin_open": True})
        same(k.take().kind, "begun")
        seen = []
        same(k.wait(k.send("input", b"all of it", target=serial, number=1), seen).http, 200)
        a = [s for s in seen if s.kind == "answer"]
        a = a[0].json() if a else k.wait(serial, seen).json()
        same((a["status"], a["output"]), ("success", "all of it"))


def test_without_an_open_input_there_is_none_to_send_to(_uid):
    with ready() as k:
        serial = k.send("call", {"tool_name": "line", "arguments": {"command": "sleep 60"}})
        same(k.take().kind, "begun")
        same(k.ask("input", b"x", target=serial).http, 409)
        k.send("cancel", target=serial, serial=0)
        k.wait(serial)


def test_a_front_that_goes_cancels_and_the_log_says_so(uid):
    with ready(uid) as k:
        k.send("call", {"tool_name": "line", "arguments": {"command": "sleep 60"}})
        begun = k.take()
        k.sock.close()
        same(k.process.wait(60), 0)
        wait_for(lambda: any(begun.id in line and '"cancelled"' in line for line in log_lines(k)),
                 "its end is not in the log")


# What others do.


def test_no_scribe_no_run_and_again_when_it_is_back(_uid):
    with ready() as k:
        same(run(k, "print(1)").json()["output"], "1\n")
        k.stop_scribe()
        a = run(k, "print(2)").json()
        same((a["status"], a["output"], a["receipt"]), ("denied", "", None))
        same((a["why"]["rule"], a["why"]["permanent"]), ("audit", False))
        same(children_of(k.process.pid), [])
        k.start_scribe()
        a = run(k, "print(3)").json()
        same((a["status"], a["output"]), ("success", "3\n"))


def test_a_slot_that_dies_leaves_an_unknown_end_and_the_next_call_works(uid):
    with ready(uid) as k:
        serial = k.send("call", {"tool_name": "code", "language": "bash",
                                 "code": "echo on; sleep 60"})
        same([k.take().kind, k.take().kind], ["begun", "output"])
        slot = k.slots()
        check(len(slot) == 2, f"{slot}")  # this one, and one in which python waits
        for pid in slot:
            os.kill(pid, signal.SIGKILL)
        a = k.wait(serial).json()
        same((a["status"], a["success"], a["exit_code"]), ("unknown", False, None))
        same(k.ask("call", {"tool_name": "line", "arguments": {"command": "echo on"}})
             .json()["output"], "on\n")


def test_a_keeper_that_starts_slots_itself_does_the_same(uid):
    with ready(uid, warden=False) as k:
        a = run(k, "echo hi > f", "bash", artifacts=["f"]).json()
        same((a["status"], base64.b64decode(a["artifacts"][0]["content_base64"])),
             ("success", b"hi\n"))
        same(len(k.slots()), 2)  # and one in which python waits


def test_above_the_ceiling_there_is_no_box(_uid):
    ceiling = "slots 4\nroot host\n" + "".join(
        f"limit {name} {most}\n" for name, most in (
            ("wall_ms", 20000), ("cpu_ms", 10000), ("memory_bytes", 64 << 20),
            ("disk_bytes", 100 << 20), ("inodes", 12800), ("processes", 64), ("files", 1024),
            ("output_bytes", 10000), ("cpu_percent", 100)))
    with ready(ceiling=ceiling) as k:
        r = run(k, "print(1)")
        a = r.json()
        check(a["status"] in ("error", "denied") and a["output"] == "", f"{a['status']}")
        same((a["why"]["layer"], a["why"]["rule"]), ("kernel", "ceiling"))
        check("memory" in k.said(), k.said())
    with ready(ceiling=ceiling.replace(str(64 << 20), str(256 << 20)).replace(
            "root host", "degraded memory\ndegraded processes\ndegraded cpu\ndegraded own_uid\n"
            "root host")) as k:
        same(run(k, "echo 1", "bash").json()["output"], "1\n")


def test_tools_with_other_runtimes_have_slots_of_their_own(_uid):
    policy = POLICY.replace("tools: [code,", "tools: [code, same, other, never,", 1).replace(
        "tools:\n", "runtimes:\n  r: { language: python, modules: [json], env: { R: one } }\n"
        "tools:\n", 1) + """
  same: { kind: code, languages: [python], rate: unlimited, screen: { mode: warn } }
  other:
    kind: code
    languages: [python]
    rate: unlimited
    runtimes: [r]
    screen: { mode: warn }
    env_allow: [R]
  never: { kind: code, languages: [python], warm: false, rate: unlimited, screen: { mode: warn } }
"""
    show = "import os; print(os.environ.get('R'))"
    with ready(policy=policy) as k:
        same(run(k, show).json()["output"], "None\n")
        same(len(k.slots()), 1)
        same(run(k, show, tool="same").json()["output"], "None\n")
        same(len(k.slots()), 1)
        # The owner's, whoever says otherwise.
        same(run(k, show, tool="other", env={"R": "two"}).json()["output"], "one\n")
        same(len(k.slots()), 2)
        a = run(k, show, tool="never").json()
        same((a["output"], a["start"]["why_cold"], len(k.slots())), ("None\n", None, 3))
        check(a["start"]["how"] in ("cold", "sealed"), f"{a['start']}")


def test_a_runtimes_program_runs_code_cold_or_warm(_uid):
    policy = POLICY.replace("tools:\n", "runtimes:\n  python: { language: python, program: "
                            "/usr/bin/python3 }\ntools:\n", 1)
    for extra in ("", "    warm: false\n"):
        with ready(policy=policy.replace("    kind: code\n", "    kind: code\n" + extra, 1)) as k:
            a = run(k, "import sys; print(sys.orig_argv[0])").json()
            same((a["status"], a["output"]), ("success", "/usr/bin/python3\n"))
    with ready(policy=policy.replace("/usr/bin/python3", "/usr/bin/no-such")) as k:
        a = run(k, "print(1)").json()
        same((a["status"], a["why"]["rule"]), ("error", "tools.code.languages"))


def test_what_waited_is_told(_uid):
    with ready() as k:
        facts, until = None, time.monotonic() + 60
        while time.monotonic() < until:
            r = run(k, "print(1)")
            facts, start = r.facts, r.json()["start"]
            if start["how"] == "waiting":
                break
            if start["why_cold"] and "memory" in start["why_cold"]:
                raise Skip(start["why_cold"])
            time.sleep(0.05)
        same((start["how"], start["why_cold"], facts["start"], facts["wanted"]),
             ("waiting", None, 3, 1))
        check(start["baseline_bytes"] > 1 << 20 and start["interpreter_calls"] > 0, f"{start}")
        check(facts["forked"] > 0, f"{facts}")
        same([json.loads(line).get("start") for line in log_lines(k)
              if '"kind":"finished"' in line][-1], "waiting")
        r = run(k, "echo 1", "bash")
        same((r.facts["wanted"], r.json()["start"]["why_cold"]), (0, None))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return int(f.read().rpartition(")")[2].split()[1])


def zygotes(k):
    """Warm interpreters: children of launchers that are in no box."""
    found = []
    for slot in k.slots():
        for launcher in children(slot):
            for child in children(launcher):
                with open(f"/proc/{child}/status", encoding="ascii") as f:
                    rows = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
                if rows["Name"] == "python3" and int(rows["CapEff"], 16) != 0:
                    found.append(child)
    return found


def wait_until_warm(k):
    until = time.monotonic() + 60
    while True:
        start = run(k, "print(1)").json()["start"]
        if start["how"] == "waiting":
            return
        if start["why_cold"] and "memory" in start["why_cold"]:
            raise Skip(start["why_cold"])
        check(time.monotonic() < until, f"{start}")
        time.sleep(0.05)


def test_a_call_survives_an_interpreter_that_dies_while_it_bears_its_child(_uid):
    """It is stopped, so that whatever is asked of it is being done when it is killed."""
    with ready() as k:
        wait_until_warm(k)
        old = zygotes(k)
        check(old, "there is no warm interpreter")
        launchers = {parent_of(pid) for pid in old}
        for pid in old:
            os.kill(pid, signal.SIGSTOP)
        same(run(k, "print('waited')").json()["output"], "waited\n")  # by who stood there already
        serial = k.send("call", {"tool_name": "code", "language": "python", "code": "print('again')"})
        time.sleep(0.3)  # it may be given to nobody else meanwhile; longer proves no more
        for pid in old:
            with contextlib.suppress(ProcessLookupError):  # its launcher was quicker
                os.kill(pid, signal.SIGKILL)
        answer = k.wait(serial).json()
        same((answer["status"], answer["output"]), ("success", "again\n"))
        check(answer["start"]["how"] in ("cold", "sealed") and answer["start"]["why_cold"], f"{answer['start']}")
        wait_until_warm(k)
        check(not set(old) & set(zygotes(k)))
        # A child that nobody knows of may be in its slot: that is used for nobody any more.
        now = {launcher for slot in k.slots() for launcher in children(slot)}
        check(not launchers <= now, f"{launchers} are all in use")


def test_only_what_the_ceiling_names_waits_in_a_slot(_uid):
    usual = "slots 8\nroot host\ndegraded memory\ndegraded processes\ndegraded cpu\n" \
        "degraded own_uid\n" + "".join(
            f"limit {name} {most}\n" for name, most in (
                ("wall_ms", 20000), ("cpu_ms", 10000), ("memory_bytes", 256 << 20),
                ("disk_bytes", 100 << 20), ("inodes", 12800), ("processes", 64), ("files", 1024),
                ("output_bytes", 10000), ("cpu_percent", 100)))
    warm = "warm python python3\nwarm_module json\nwarm_env TZ=UTC\nwarm_calls 7\n" \
        "warm_age_ms 60000\n"
    runtime = "runtimes:\n  python: { language: python, modules: [json], env: { TZ: UTC }, " \
        "calls: 7, age: 60s }\ntools:\n"
    policy = POLICY.replace("tools:\n", runtime, 1)
    show = "import os; print(os.environ['TZ'])"
    with ready(ceiling=usual + warm, policy=policy) as k:
        same(run(k, show).json()["output"], "UTC\n")
    for wrong in (("python3", "python"), ("json", "jso"), ("UTC", "GMT"), (" 7", " 8"),
                  ("60000", "60001"), ("python ", "node "), ("warm_env TZ=UTC\n", ""),
                  ("warm_module json\n", "warm_module json\nwarm_module re\n")):
        with ready(ceiling=usual + warm.replace(*wrong), policy=policy) as k:
            a = run(k, show).json()
            same((a["status"], a["output"]), ("error", ""))
            same((a["why"]["layer"], a["why"]["rule"]), ("kernel", "ceiling"))
            check("warm python python3" in k.said(), k.said())


def test_without_a_warden_a_keeper_answers_what_runs_and_goes(_uid):
    with ready() as k:
        serial = k.send("call", {"tool_name": "code", "language": "bash",
                                 "code": "echo on; sleep 60"})
        same([k.take().kind, k.take().kind], ["begun", "output"])
        k.warden.kill()
        k.warden.wait()
        same(k.wait(serial).json()["status"], "unknown")
        check(k.take() is None)
        same(k.process.wait(60), WARDEN_LOST)
    with ready() as k:
        k.warden.kill()
        check(k.take() is None)
        same(k.process.wait(60), WARDEN_LOST)  # or there would be another at once, again and again
    with ready() as k:
        k.sock.close()
        same(k.process.wait(60), 0)


def test_a_sealed_keeper_has_nothing_but_its_work(_uid):
    with ready() as k:
        status = open(f"/proc/{k.process.pid}/status", encoding="ascii").read()
        rows = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        same((rows["Seccomp"], rows["NoNewPrivs"]), ("2", "1"))
        for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb"):
            same(int(rows[name], 16), 0)
        same(run(k, "print(1)").json()["output"], "1\n")


def test_an_idle_slot_that_dies_is_replaced(_uid):
    with ready() as k:
        same(run(k, "print(1)").json()["output"], "1\n")
        os.kill(k.slots()[0], signal.SIGKILL)
        same(run(k, "print(2)").json()["output"], "2\n")


def test_a_slot_stays_for_the_same_profile_only(_uid):
    with ready() as k:
        run(k, "print(1)")
        first = k.slots()
        run(k, "print(2)")
        same(k.slots(), first)
        k.ask("call", {"tool_name": "line", "arguments": {"command": "echo x"}})
        check(k.slots() != first)
        run(k, "echo 1", "bash", tool="both")
        one = k.slots()
        run(k, "echo 1", "bash", tool="both")
        check(k.slots() != one, "a fresh tool got a used slot")


def test_another_policy_than_expected_is_no_start(_uid):
    with keeper(more=("--expect-sha256", "0" * 64)) as k:
        check(k.take() is None)
        check(k.process.wait(60) != 0)
        check("not the one that was expected" in k.said())


def test_a_message_that_makes_no_sense_ends_the_keeper(_uid):
    def head(magic=MAGIC, version=VERSION, kind=1, body_len=0, client=b"local", follows=0, alone=0):
        return REQUEST.pack(magic, version, kind, 0, 1, 0, body_len, 0, 0, 0, 0, follows, alone, client,
                            b"", b"", b"", b"")

    for bad in (b"x", head(magic=1), head(version=9), head(kind=99), head(body_len=5),
                head(client=b"x" * 128), head() + b"more", head(body_len=INLINE + 1),
                head(follows=2), head(alone=3)):
        with ready() as k:
            k.sock.send(bad)
            check(k.take() is None)
            same(k.process.wait(60), 0)


def test_a_body_that_could_change_is_not_taken(_uid):
    import socket
    with ready() as k:
        body = b" " * (INLINE + 1)
        fd = os.memfd_create("body", os.MFD_ALLOW_SEALING)
        os.write(fd, body)
        head = REQUEST.pack(MAGIC, VERSION, 1, 0, 1, 0, len(body), 0, 0, 0, 0, 0, 0, b"local", b"",
                            b"", b"", b"")
        socket.send_fds(k.sock, [head], [fd])
        os.close(fd)
        check(k.take() is None)
        check("could change" in k.said())


# Looking without running.


def test_a_dry_run_says_what_would_be_decided(_uid):
    with ready() as k:
        a = k.ask("check", {"tool_name": "code", "code": "print(1)", "language": "python"}).json()
        same((a["decision"], a["dry_run"], a["why"]), ("allow", True, None))
        a = k.ask("check", {"tool_name": "code", "code": "1", "language": "node"}).json()
        same((a["decision"], a["why"]["rule"]), ("deny", "tools.code.languages"))
        same([line for line in log_lines(k) if '"started"' in line], [])


def test_tools_are_listed_with_their_schema(_uid):
    with ready() as k:
        tools = {t["name"]: t for t in k.ask("tools").json()["tools"]}
        same(sorted(tools), ["both", "code", "line", "mute", "say", "seldom"])
        same(tools["say"]["input_schema"]["properties"]["word"]["type"], "string")
        same(tools["say"]["input_schema"]["required"], ["word"])
        same(tools["code"]["input_schema"]["required"], ["code"])
        same((tools["code"]["artifacts"], tools["line"]["artifacts"]), (True, False))
        same([t["name"] for t in k.ask("tools", client="other").json()["tools"]], ["say"])
        same(k.ask("tools", client="nobody").json(), {"tools": []})


def test_code_and_commands_are_looked_at(_uid):
    with ready() as k:
        a = k.ask("screen", {"code": "import os; os.system('x')", "language": "python"}).json()
        check(a["blocks"] and a["screening"])
        a = k.ask("screen", {"code": "import os; os.system('x')", "language": "python",
                             "tool_name": "code"}).json()
        check(not a["blocks"] and a["screening"][0]["mode"] == "warn")
        a = k.ask("screen", {"command": "rm -rf /", "tool_name": "line"}).json()
        check(a["blocks"] and a["why"]["layer"] == "screen")
        same(k.ask("screen", {"code": "x"}).json()["errors"][0]["pointer"], "/language")
        same(k.ask("screen", {"code": "x", "command": "y"}).http, 400)
        same(k.ask("screen", {}).http, 400)
        for ask in ("exec", "describe", "file_get", "close"):
            same(k.ask(ask).http, 404)


def test_who_has_a_uid_here_is_written_down_with_it(_uid):
    with ready() as k:
        k.ask("call", {"tool_name": "say", "arguments": {"word": "x"}}, uid=4242)
        k.ask("call", {"tool_name": "say", "arguments": {"word": "x"}})
        started = [line for line in log_lines(k) if '"started"' in line]
        same(["4242" in line for line in started], [True, False])


def test_a_secret_that_changes_is_read_again(_uid):
    with ready() as k:
        same(run(k, "echo $WORD", "bash").json()["output"], "[REDACTED:secret:word]\n")
        with open(k.secret, "w", encoding="utf-8") as out:
            out.write("quite-another-value\n")
        same(run(k, "echo $WORD", "bash").json()["output"], "[REDACTED:secret:word]\n")
        a = run(k, "echo quite-another-value", "bash").json()
        same(a["output"], "[REDACTED:secret:word]\n")
        os.unlink(k.secret)
        a = run(k, "echo no", "bash").json()
        same((a["status"], a["output"], a["why"]["rule"]), ("denied", "", "tools.code.secrets"))


AS_USER = {"test_a_call_is_run_and_answered", "test_a_sealed_keeper_has_nothing_but_its_work",
           "test_a_keeper_that_starts_slots_itself_does_the_same", "test_a_failure_says_what_the_program_said",
           "test_files_go_in", "test_files_come_out_without_secrets",
           "test_output_comes_while_it_runs_and_never_with_a_secret", "test_a_call_is_cancelled",
           "test_a_front_that_goes_cancels_and_the_log_says_so",
           "test_a_slot_that_dies_leaves_an_unknown_end_and_the_next_call_works"}


def main():
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    tests = []
    for name, body in list(globals().items()):
        if name.startswith("test_") and only in name:
            tests.append((name, body, None))
            if name in AS_USER and os.geteuid() == 0:
                tests.append((name + "_as_a_user", body, USER))
    print(f"1..{len(tests)}")
    failed = False
    for i, (name, body, uid) in enumerate(tests, 1):
        try:
            body(uid)
            print(f"ok {i} {name}", flush=True)
        except Skip as why:
            print(f"ok {i} {name} # SKIP {why}", flush=True)
        except Exception as why:  # pylint: disable=broad-except
            failed = True
            print(f"not ok {i} {name}")
            print("# " + str(why).replace("\n", "\n# ") + f" ({type(why).__name__})", flush=True)
            import traceback
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
    for name in glob.glob(f"/var/tmp/belljar-keeper-secret-{os.getpid()}-*"):
        os.unlink(name)
    sys.exit(failed)


main()
