#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sessions_test.py GATE BELLJAR SCRIBE [NAME]: sessions of a keeper, by whoever plays its front.

Every test has a keeper, a log and a state of its own; each runs as root and as an ordinary user.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "keeper"))
from fakefront import Keeper  # noqa: E402

GATE, BELLJAR, SCRIBE = (os.path.realpath(p) for p in sys.argv[1:4])
USER = 61236
SECRET = "tr0ub4dor-and-3-more"
NODE = shutil.which("node", path="/usr/bin:/bin")
POLICY = """version: 1
allow_degraded: [memory, processes, cpu, own_uid]
clients:
  local: { uid: any, tools: ["*"] }
  other: { uid: [4242], tools: [line] }
runtimes:
  own: { language: python, program: /usr/bin/python3, modules: [json], env: { MINE: yes } }
  ours: { language: node, program: /usr/bin/node }
tools:
  own:
    kind: code
    languages: [python, "node?"]
    runtimes: [own, ours]
    rate: unlimited
    screen: { mode: warn }
    sessions: { allow: true, ttl: 10m, idle: 5m }
  code:
    kind: code
    languages: [python, bash, node]
    rate: unlimited
    limits: { wall: 20s, cpu: 20s, output: 4000, memory: 128M, disk: 8M }
    screen: { mode: warn }
    env_allow: [COLOUR]
    sessions: { allow: true, ttl: 10m, idle: 5m }
    secrets: { word: { file: SECRETFILE, env: WORD } }
  strict:
    kind: code
    languages: [python]
    rate: unlimited
    screen: { imports: [math] }
    sessions: { allow: true, ttl: 10m, idle: 5m, exec: false }
  line:
    kind: command
    programs: [echo, cat, sleep, ls]
    rate: unlimited
    sessions: { allow: true, ttl: 10m, idle: 5m }
  once: { kind: code, languages: [bash], rate: unlimited }
  seldom: { kind: code, languages: [bash], rate: 3/hour, sessions: { allow: true } }
  short: { kind: code, languages: [bash], rate: unlimited, sessions: { allow: true, ttl: 1s, idle: 1s } }
  tired: { kind: code, languages: [bash], rate: unlimited, sessions: { allow: true, ttl: 10m, idle: 1s } }
  canary:
    kind: code
    languages: [bash]
    rate: unlimited
    screen: { mode: warn }
    sessions: { allow: true }
    secrets: { trap: { file: SECRETFILE, env: TRAP, canary: true } }
"""


class Skip(Exception):
    pass


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def same(got, want):
    check(got == want, f"{got!r} is not {want!r}")


class Session:
    """A keeper and the session that it keeps."""

    def __init__(self, uid=None, tool="code", opened=True, **body):
        self.secret = f"/var/tmp/belljar-session-secret-{os.getpid()}-{uid or 0}"
        with open(self.secret, "w", encoding="utf-8") as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(SECRET + "\n")
        if uid:
            os.chown(self.secret, uid, uid)
        self.uid = uid
        self.k = Keeper(GATE, BELLJAR, SCRIBE, POLICY.replace("SECRETFILE", self.secret), uid=uid)
        self.seen, self.waiting = [], []
        try:
            self.k.ready()
            self.opening = self.ask("open", {"tool_name": tool, **body}, ident="s-1")
            if opened:
                same((self.opening.http, self.opening.json().get("state")), (201, "open"))
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.k.__exit__()
        os.unlink(self.secret)

    def until(self, kind, serial=None):
        """The next such message; others wait."""
        while True:
            for r in self.waiting:
                if r.kind == kind and serial in (None, r.serial):
                    self.waiting.remove(r)
                    return r
            r = self.k.take()
            check(r is not None, "the keeper is gone: " + self.k.said())
            self.waiting.append(r)

    def ask(self, *args, **more):
        serial = self.k.send(*args, **more)
        answer = self.until("answer", serial)
        self.seen = [r for r in self.waiting if r.serial == serial]
        self.waiting = [r for r in self.waiting if r.serial != serial]
        return answer

    def code(self, text, language=None, **more):
        body = {"code": text, **more}
        if language:
            body["language"] = language
        return self.ask("code", body).json()

    def run(self, *argv, **more):
        return self.ask("exec", {"argv": list(argv), **more}).json()

    def begin(self, ask, body):
        """Sent, and begun; its serial."""
        serial = self.k.send(ask, body)
        self.until("begun", serial)
        return serial

    def records(self):
        """Of the whole log, which must verify."""
        done = subprocess.run([BELLJAR, "audit", "verify", "--log", f"{self.k.dir}/audit"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={"PATH": "/usr/bin:/bin", "BELLJAR_AUDIT": f"{self.k.dir}/audit"})
        same((done.returncode, done.stdout if done.returncode else ""), (0, ""))
        lines = []
        for name in sorted(glob.glob(f"{self.k.dir}/audit/log/*")):
            with open(name, "rb") as log:
                lines += [line for line in log.read().split(b"\n") if line.startswith(b"{")]
        check(lines, "there is no log")
        return [json.loads(line) for line in lines]


TESTS = []


def test(f):
    TESTS.append(f)
    return f


@test
def python_keeps_its_state(uid):
    with Session(uid) as s:
        same(s.opening.json()["language"], "python")
        walls = s.code("0")["layers"]
        same({walls[name]["state"] for name in ("seccomp", "landlock", "capabilities", "network")}, {"full"})
        same(s.run("true")["layers"], walls)
        a = s.code("import os\nx = 41\nos.mkdir('sub'); os.chdir('sub')")
        same((a["status"], a["snippet"], a["state_lost"], a["result"]), ("success", 2, False, None))
        a = s.code("print('to out'); x + 1")
        same((a["output"], a["result"], a["snippet"], a["session"]), ("to out\n", "42", 3, "s-1"))
        a = s.code("import sys\nsys.stderr.write('to err')\nraise ValueError('no')")
        same((a["status"], a["exit_code"], a["success"], a["state_lost"]), ("error", 1, False, False))
        check('"<snippet 4>", line 3' in a["stderr"]["data"], a["stderr"])
        same(s.code("os.path.basename(os.getcwd())")["result"], "'sub'")
        same(s.code("sys.exit(7)")["exit_code"], 7)
        same(s.code("x")["result"], "41")


def processors(process):
    return len(os.sched_getaffinity(process.pid))


@test
def a_snippet_that_was_foretold_is_like_any_other(uid):
    """So is one that was not, and one that never comes leaves nothing."""
    with Session(uid) as s:
        s.code("x = 40")
        for number in range(30):
            if number % 3:
                s.k.send("stir", serial=0, alone=2)
            if number % 3 == 2:
                time.sleep(0.002)  # too long for anybody who waits awake
            a = s.ask("code", {"code": "x + 2"}, alone=2, follows=0).json()
            same((a["status"], a["result"], a["state_lost"], a["snippet"]), ("success", "42", False, number + 2))
        s.k.send("stir", serial=0, alone=2)
        # What it uses is counted, however it was woken.
        before = s.ask("code", {"code": "import time\nuntil = time.process_time() + 0.2\n"
                                        "while time.process_time() < until: pass"}, alone=2).json()
        check(before["resource_usage"]["cpu_user_ms"] + before["resource_usage"]["cpu_system_ms"] >= 150, before)


def who_is_asked_alone_is_beside_its_scribe(uid):
    all_of_them = len(os.sched_getaffinity(0))
    if all_of_them < 2:
        return print("# one processor")
    with Session(uid) as s:
        def ask(alone, moved):
            for _ in range(600):
                same(s.ask("code", {"code": "1 + 1"}, alone=alone, follows=0).json()["result"], "2")
                if moved():
                    return True
            return False

        both = (s.k.process, s.k.scribe)
        same([processors(p) for p in both], [all_of_them] * 2)
        check(ask(1, lambda: [processors(p) for p in both] == [1, 1] and
                  os.sched_getaffinity(both[0].pid) == os.sched_getaffinity(both[1].pid)), "they are apart")
        # What runs for a caller has what it had.
        same(s.code("import os; len(os.sched_getaffinity(0))")["result"], str(all_of_them))
        # While something takes its time, its keeper has them, too.
        for ask_for, body in (("code", {"code": "import time; time.sleep(15)"}),
                              ("exec", {"argv": ["sleep", "15"]})):
            check(ask(1, lambda: processors(both[0]) == 1), "it is not held")
            serial = s.k.send(ask_for, body, alone=1, follows=0)
            s.until("begun", serial)
            until = time.monotonic() + 60
            while processors(both[0]) != all_of_them:
                check(time.monotonic() < until, f"a keeper is held while its {ask_for} runs")
                time.sleep(0.01)
            s.k.send("cancel", target=serial, serial=0)
            same(s.until("answer", serial).json()["kill_reason"], "cancelled")
        check(ask(0, lambda: [processors(p) for p in both] == [all_of_them] * 2), "they are held")


@test
def bash_and_node_keep_theirs_beside_it(uid):
    with Session(uid) as s:
        s.code("x = 'of python'")
        same(s.code("x=3; f() { echo $((x + $1)); }; cd /tmp", "bash")["status"], "success")
        a = s.code("f 4; pwd", "bash")
        same((a["output"], a["snippet"]), ("7\n/tmp\n", 2))
        same(s.code("x")["result"], "'of python'")
        if NODE:
            same(s.code("let x = 5", "node")["status"], "success")
            a = s.code("const y = await Promise.resolve(x + 1); console.log(y); ({y})", "node")
            same((a["output"], a["result"]), ("6\n", "{ y: 6 }"))


@test
def an_interpreter_begins_whatever_files_lie_beside_it(uid):
    """From 3.13 on Python imports some modules of its own before a driver begins."""
    with Session(uid) as s:
        for name in ("linecache", "tokenize", "re"):
            a = s.code(f"open('{name}.py', 'w').write('raise SystemExit(9)')\nimport os\nos._exit(9)")
            same((a["exit_code"], a["state_lost"]), (9, True))
            same(s.code("import os\n1 + 1, os.environ.get('PYTHONSAFEPATH')")["result"], "(2, None)")


@test
def a_session_has_the_interpreters_of_its_tool(_uid):
    with Session(tool="own") as s:
        same(s.code("import os, sys; print(sys.orig_argv[0], os.environ['MINE'])")["output"],
             "/usr/bin/python3 yes\n")
        same(s.code("1")["start"], None)
        check(s.run("true")["start"]["how"] in ("cold", "sealed"), "a program is started")
        if NODE:
            same(s.code("console.log(process.argv0)", "node")["output"], "/usr/bin/node\n")


@test
def what_an_interpreter_dies_of_is_told_and_a_new_one_starts(uid):
    with Session(uid) as s:
        s.code("x = 1")
        a = s.code("import os\nprint('last words', flush=True)\nos._exit(9)")
        same((a["status"], a["exit_code"], a["state_lost"], a["output"]), ("error", 9, True, "last words\n"))
        a = s.code("'x' in globals()")
        same((a["result"], a["state_lost"]), ("False", False))
        a = s.code("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
        same((a["status"], a["signal"], a["state_lost"]), ("error", signal.SIGSEGV, True))
        same(s.code("exit 4", "bash")["state_lost"], True)
        same(s.code("echo again", "bash")["output"], "again\n")


@test
def a_snippet_that_takes_too_long_is_interrupted_first(uid):
    with Session(uid) as s:
        s.code("kept = 7")
        a = s.code("while True:\n    pass", limits={"wall": "1s"})
        same((a["status"], a["kill_reason"], a["state_lost"]), ("timeout", "wall", False))
        same(s.code("kept")["result"], "7")
        a = s.code("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(60)",
                   limits={"wall": "1s"})
        same((a["status"], a["kill_reason"], a["state_lost"]), ("timeout", "wall", True))
        same(s.code("'kept' in globals()")["result"], "False")
        s.code("kept=7", "bash")
        a = s.code("sleep 60", "bash", limits={"wall": "1s"})
        same((a["status"], a["state_lost"]), ("timeout", False))
        same(s.code("echo $kept", "bash")["output"], "7\n")


@test
def processor_time_of_a_snippet_has_a_limit(uid):
    with Session(uid) as s:
        a = s.code("while True:\n    pass", limits={"cpu": "300ms"})
        same((a["kill_reason"], a["state_lost"]), ("cpu", False))


@test
def a_second_snippet_waits_for_nobody(uid):
    with Session(uid) as s:
        first = s.begin("code", {"code": "import time\ntime.sleep(600)"})
        same(s.ask("code", {"code": "1"}).http, 409)
        same(s.ask("cancel", target=first, serial=900).json()["cancelled"], 1)
        a = s.until("answer", first).json()
        same((a["kill_reason"], a["state_lost"]), ("cancelled", False))
        same(s.code("1 + 1")["result"], "2")


@test
def that_it_runs_is_told_when_somebody_needs_to_know(uid):
    with Session(uid) as s:
        late = time.monotonic() + 60
        a = s.ask("code", {"code": "2 + 2"}, follows=0)
        while not a.start and time.monotonic() < late:  # it took longer than a moment
            same([r.kind for r in s.seen], ["begun"])
            a = s.ask("code", {"code": "2 + 2"}, follows=0)
        same((a.json()["result"], s.seen), ("4", []))
        start = json.loads(a.start)
        same((start["id"], start["session"], start["request_id"]), (a.json()["id"], "s-1", "req-1"))
        same(start["receipt"], a.json()["receipt_started"])
        same((a.id, a.facts["tool"]), (start["id"], "code"))
        a = s.ask("code", {"code": "2 + 2"})
        same((a.start, [r.kind for r in s.seen], s.seen[0].json()["id"]), (b"", ["begun"], a.id))
        # Before output that nobody asked for, too, and when it takes longer than a moment.
        a = s.ask("code", {"code": "print(1)"}, follows=0)
        same((a.start, [r.kind for r in s.seen]), (b"", ["begun", "output"]))
        serial = s.k.send("code", {"code": "import time\nwhile True: time.sleep(1)"}, follows=0)
        same(s.until("begun", serial).serial, serial)
        s.k.send("cancel", target=serial)
        same(s.until("answer", serial).start, b"")
        a = s.ask("code", {"code": "2 + 2", "language": "cobol"}, follows=0)
        same((a.http, a.start, s.seen), (400, b"", []))


@test
def output_is_streamed_and_redacted_across_pieces(uid):
    with Session(uid) as s:
        half = len(SECRET) // 2
        a = s.code(f"import sys, time\nprint('begin', flush=True)\nsys.stdout.write({SECRET[:half]!r})\n"
                   f"sys.stdout.flush(); time.sleep(0.1)\nprint({SECRET[half:]!r})")
        check(SECRET not in json.dumps(a) and SECRET[:half] not in a["output"], a["output"])
        told = b"".join(r.body for r in s.seen if r.kind == "output" and r.stream == 1)
        same(told.decode(), a["output"])
        same([r.kind for r in s.seen][0], "begun")
        a = s.code("import os\nos.environ['WORD']")
        check(SECRET not in json.dumps(a) and a["result"], a["result"])
        a = s.run("sh", "-c", "echo $WORD >&2")
        check(SECRET not in json.dumps(a) and a["stderr"]["bytes_seen"] > 5, a)
        twin = s.code("len(os.environ['WORD'])")
        same(twin["result"], str(len(SECRET)))


@test
def output_has_its_limit_and_a_flood_ends_the_interpreter(uid):
    with Session(uid) as s:
        a = s.code("print('x' * 10000)")
        same((len(a["output"]), a["stdout"]["truncated"], a["status"]), (4000, True, "success"))
        a = s.code("while True:\n    print('y' * 1000)")
        same((a["kill_reason"], a["state_lost"]), ("output", True))
        same(s.code("1")["result"], "1")
        a = s.run("sh", "-c", "while :; do echo zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz; done")
        same(a["kill_reason"], "output")


@test
def programs_run_beside_each_other_with_input_and_signals(uid):
    with Session(uid) as s:
        same(s.run("sh", "-c", "cat; echo $COLOUR; pwd", stdin="hello\n", env={"COLOUR": "red"})["output"],
             "hello\nred\n/work\n")
        s.run("mkdir", "sub")
        same(s.run("pwd", cwd="sub")["output"], "/work/sub\n")
        same(s.run("pwd", cwd="/tmp")["output"], "/tmp\n")
        same(s.run("sh", "-c", "exit 5")["exit_code"], 5)
        cat = s.begin("exec", {"argv": ["cat"], "stdin_open": True})
        other = s.begin("exec", {"argv": ["sh", "-c", "trap 'echo got; exit 3' TERM; echo ready; "
                                          "while :; do sleep 0.05; done"], "detach": True})
        same(s.ask("input", b"abc\n", target=cat).json()["accepted"], 4)
        got = s.until("output", cat)
        same(got.body, b"abc\n")
        while True:
            names = s.ask("processes").json()["processes"]
            if {"cat", "sh"} <= {p["name"] for p in names}:
                break
        check(any(p["exec"] for p in names), names)
        same(s.until("output", other).body, b"ready\n")
        same(s.ask("signal", target=other, number=int(signal.SIGTERM), serial=800).http, 200)
        a = s.until("answer", other).json()
        check(a["exit_code"] == 3 and a["output"].endswith("got\n"), a["output"])
        same(s.ask("input", b"", target=cat, serial=801).http, 200)
        same(s.until("answer", cat).json()["output"], "abc\n")
        same(s.ask("input", b"late", target=cat).http, 409)
        both = s.begin("exec", {"argv": ["cat"], "stdin_open": True})
        same(s.ask("input", b"last words", target=both, number=1, serial=803).http, 200)
        a = s.until("answer", both).json()
        same((a["status"], a["output"]), ("success", "last words"))
        same(s.ask("signal", target=cat, number=15).http, 409)
        long = s.begin("exec", {"argv": ["sleep", "600"]})
        same(s.ask("cancel", target=long, serial=802).http, 200)
        same(s.until("answer", long).json()["kill_reason"], "cancelled")


@test
def a_program_has_its_own_wall_time(uid):
    with Session(uid) as s:
        a = s.run("sleep", "60", limits={"wall": "300ms"})
        same((a["status"], a["kill_reason"]), ("timeout", "wall"))
        same(s.run("echo", "on")["output"], "on\n")
        same(s.ask("exec", {"argv": ["true"], "limits": {"wall": "21s"}}).http, 400)
        same(s.ask("exec", {"argv": ["true"], "limits": {"memory": "16M"}}).http, 400)
        a = s.run("no-such-program")
        same((a["status"], a["why"]["layer"]), ("error", "file"))
        same(s.run("echo", "still")["output"], "still\n")


ORPHANS = """
import os
import time
for _ in range(60):
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            while time.process_time() < 0.05:
                pass
            os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.05)
print("done")
"""


@test
def what_a_program_lets_others_use_counts_too(uid):
    """Children of children that end are in no count of its own."""
    with Session(uid) as s:
        a = s.run("python3", "-c", ORPHANS, limits={"cpu": "15s"})
        if a["layers"]["cpu"]["state"] != "full":
            raise Skip("nobody counts for the box as a whole")
        same((a["status"], a["stdout"]["data"]), ("success", "done\n"))
        check(a["resource_usage"]["cpu_user_ms"] >= 2000, a["resource_usage"])
        a = s.run("python3", "-c", ORPHANS, limits={"cpu": "1s"})
        same((a["kill_reason"], a["stdout"]["data"]), ("cpu", ""))
        # None bears what was there before it.
        a = s.run("python3", "-c", "print(1)", limits={"cpu": "1s"})
        same((a["status"], a["stdout"]["data"]), ("success", "1\n"))
        check(a["resource_usage"]["cpu_user_ms"] < 1000, a["resource_usage"])


@test
def too_many_programs_at_once_are_refused(uid):
    with Session(uid) as s:
        running = [s.begin("exec", {"argv": ["sleep", "600"]}) for _ in range(16)]
        same(s.ask("exec", {"argv": ["true"]}).http, 409)
        same(len(s.ask("describe").json()["running"]), len(running))
        s.k.send("close", serial=700)
        for _ in running:
            same(s.until("answer").json()["kill_reason"], "cancelled")
        same(s.until("answer", 700).json()["state"], "closed")


@test
def files_go_in_and_come_out_in_pieces(uid):
    with Session(uid, files=[{"path": "first.txt", "content": "from the beginning"}]) as s:
        same(s.run("cat", "first.txt")["output"], "from the beginning")
        data = bytes(range(256)) * 300
        put = s.ask("file_put", data, path="dir/data.bin")
        same((put.http, put.json()["size"]), (201, len(data)))
        same(s.run("wc", "-c", "dir/data.bin")["output"].split()[0], str(len(data)))
        got = s.ask("file_get", path="dir/data.bin")
        same((got.http, got.content, got.body == data, got.range_total), (200, 2, True, len(data)))
        got = s.ask("file_get", path="dir/data.bin", origin=100, number=50)
        same((got.http, got.body, got.range_from, got.range_total), (206, data[100:150], 100, len(data)))
        beyond = s.ask("file_get", path="dir/data.bin", origin=10**6)
        same((beyond.http, beyond.range_total, beyond.body), (416, len(data), b""))
        s.ask("file_put", b"#!/bin/sh\necho ran\n", path="script", number=0o111)
        same(s.run("./script")["output"], "ran\n")
        stat = s.ask("file_stat", path="script").json()
        same((stat["type"], stat["size"], stat["mode"] & 0o111 != 0), ("file", 19, True))
        check(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stat["modified"]), stat)
        s.run("touch", "-d", "1960-01-01", "script")
        same(s.ask("file_stat", path="script").json()["modified"], "1970-01-01T00:00:00.000Z")
        names = {e["name"]: e["type"] for e in s.ask("file_list", path="").json()["entries"]}
        same((names.get("dir"), names.get("script")), ("directory", "file"))
        same(s.ask("file_remove", path="dir", number=1).http, 200)
        same(s.ask("file_get", path="dir/data.bin").http, 404)


@test
def hostile_paths_and_files_lead_nowhere(uid):
    with Session(uid) as s:
        s.run("sh", "-c", "ln -s /etc/passwd link; ln -s /etc dirlink; mkfifo pipe; mkdir d")
        for path in ("../etc/passwd", "/etc/passwd", "d/../../etc/passwd", "link", "dirlink/passwd",
                     "pipe", "d", "a\nb/../..", "x" * 1000):
            r = s.ask("file_get", path=path)
            check(r.http in (400, 404, 409), f"{path!r}: {r.http} {r.body!r}")
        for path in ("../x", "/tmp/x", "dirlink/x", "link/x", "d"):
            r = s.ask("file_put", b"evil", path=path)
            check(r.http in (400, 404, 409), f"{path!r}: {r.http} {r.body!r}")
        same(s.ask("file_stat", path="link").json()["type"], "link")
        same(s.ask("file_remove", path="dirlink", number=1).http, 200)
        check(os.path.isdir("/etc"))
        same(s.ask("file_put", b"x" * (9 << 20), path="large").http, 409)
        same(s.run("echo", "alive")["output"], "alive\n")


@test
def secrets_do_not_come_out_in_files(uid):
    with Session(uid) as s:
        s.run("sh", "-c", 'echo "a $WORD b" > text; printf "\\000%s" "$WORD" > bytes; '
              'touch "name-$WORD"; printf "%s" plain > plain')
        got = s.ask("file_get", path="text")
        check(got.http == 200 and SECRET.encode() not in got.body and got.body.startswith(b"a "), got.body)
        for at in range(2, 2 + len(SECRET), 5):
            piece = s.ask("file_get", path="text", origin=at, number=5)
            check(piece.body not in SECRET.encode() or piece.http != 206, piece.body)
        same(s.ask("file_get", path="bytes").http, 409)
        same(s.ask("file_get", path="plain").body, b"plain")
        check(SECRET not in s.ask("file_list", path="").body.decode())


@test
def a_session_ends_by_itself(uid):
    with Session(uid, tool="short") as s:
        serial = s.begin("exec", {"argv": ["sleep", "600"]})
        a = s.until("answer", serial).json()
        same((a["status"], a["kill_reason"]), ("timeout", "wall"))
        over = s.until("over")
        same((over.json()["state"], over.facts["rule"]), ("ttl", "its time was used up (ttl)"))
        same(s.k.take(), None)
    with Session(uid, tool="tired") as s:
        same(s.code("echo once")["output"], "once\n")
        same(s.until("over").json()["state"], "idle")
        closes = [r for r in s.records() if r.get("action") == "session_close"]
        same([r["kind"] for r in closes], ["started", "finished"])
        check('"idle"' in closes[0]["args"], closes)


@test
def a_session_can_be_extended_within_its_tools_time(uid):
    with Session(uid, ttl="1m", idle="30s") as s:
        before = s.ask("describe").json()
        same(before["idle_ms"], 30000)
        after = s.ask("extend", {"ttl": "5m"}).json()
        check(after["expires"] > before["expires"], (before, after))
        same(s.ask("extend", {"ttl": "11m"}).http, 403)
        same(s.ask("extend", {"ttl": "11m", "more": 1}).http, 400)
        same(s.ask("describe").json()["expires"], after["expires"])
    with Session(uid, opened=False, ttl="11m") as s:
        same(s.opening.http, 403)
    with Session(uid, opened=False, idle="6m") as s:
        same(s.opening.http, 403)


@test
def peaks_of_its_box_are_in_the_account_of_a_snippet(uid):
    """They never go down; a snippet too short for a question has what was known before."""
    with Session(uid) as s:
        def usage(code):
            answer = s.code(code)
            same(answer["status"], "success")
            return answer["resource_usage"], answer["near_misses"]["shares"]

        small, shares = usage("x = 1")
        check(uid or small["processes_peak"] >= 1, small)  # a user has no group that counts them
        check(small["memory_peak_bytes"] < 20 << 20, small)
        large, shares = usage("x = b'x' * (60 << 20)")
        check(60 << 20 <= large["memory_peak_bytes"] < 90 << 20, large)
        check(shares["memory"] > 60 / 256, shares)
        usage("del x; open('f', 'wb').write(bytes(5 << 20))")
        later, shares = usage("import time; time.sleep(0.01)")
        check(later["memory_peak_bytes"] >= large["memory_peak_bytes"], later)
        check(later["disk_peak_bytes"] >= 5 << 20, later)


@test
def memory_is_the_sessions_and_its_end(uid):
    with Session(uid) as s:
        same(s.code("len(bytearray(20 << 20))")["result"], str(20 << 20))
        s.k.send("code", {"code": "a = []\nwhile True:\n    a.append(bytearray(b'x') * (4 << 20))"},
                 serial=500)
        a = s.until("answer", 500).json()
        if a["kill_reason"] != "memory" and uid:
            raise Skip("an ordinary user has no memory group here")
        same((a["status"], a["kill_reason"], a["state_lost"]), ("resource_exceeded", "memory", True))
        over = s.until("over").json()
        same((over["state"], over["kill_reason"]), ("box_over", "memory"))
        same(s.k.take(), None)


@test
def the_policy_is_asked_each_time(uid):
    for tool, http in (("once", 403), ("nothing", 403)):
        with Session(uid, tool=tool, opened=False) as s:
            same(s.opening.http, http)
    with Session(uid, opened=False, tool_name=5) as s:
        same(s.opening.http, 400)
    with Session(uid, tool="strict") as s:
        a = s.code("import socket")
        same((a["status"], a["why"]["layer"]), ("denied", "screen"))
        same(s.code("import math\nmath.floor(2.5)")["result"], "2")
        same(s.ask("exec", {"argv": ["true"]}).http, 403)
        same(s.code("1", "bash")["status"], "denied")
    with Session(uid, tool="line") as s:
        same(s.ask("exec", {"command": "echo a b"}).json()["output"], "a b\n")
        a = s.ask("exec", {"command": "rm -rf /"}).json()
        same((a["status"], a["why"]["layer"]), ("denied", "screen"))
        a = s.run("rm", "x")
        same(a["status"], "denied")
        same(s.ask("code", {"code": "1"}).http, 409)
        same(s.ask("exec", {"argv": ["echo"], "command": "echo"}).http, 400)
        same(s.ask("file_list", client="nobody-knows").http, 403)
    with Session(uid, tool="seldom") as s:
        s.code("echo 1")
        s.code("echo 2")
        r = s.ask("code", {"code": "echo 3"})
        same((r.http, r.json()["status"]), (429, "denied"))
        same(s.ask("file_list").http, 429)
        same(s.ask("close").http, 200)


@test
def variables_must_be_allowed(uid):
    with Session(uid, env={"COLOUR": "blue"}) as s:
        same(s.code("import os\nos.environ['COLOUR']")["result"], "'blue'")
        same(s.run("sh", "-c", "echo $COLOUR")["output"], "blue\n")
        same(s.run("sh", "-c", "echo $COLOUR", env={"COLOUR": "red"})["output"], "red\n")
        same(s.run("true", env={"LD_PRELOAD": "x"})["status"], "denied")
    with Session(uid, opened=False, env={"LD_PRELOAD": "x"}) as s:
        same(s.opening.http, 403)


def interpreters(s):
    while True:
        found = s.ask("processes").json()["processes"]
        pids = [p["pid"] for p in found if p["interpreter"] == "python"]
        if pids:
            return pids
        time.sleep(0.05)


@test
def the_interpreter_is_there_before_the_first_snippet(uid):
    with Session(uid, env={"COLOUR": "blue"}) as s:
        first = interpreters(s)
        a = s.code("import os\nos.getpid(), os.environ['COLOUR']")
        same((a["result"], a["state_lost"]), (f"({first[0]}, 'blue')", False))
        same(interpreters(s), first)
    with Session(uid, language="bash") as s:
        found = s.ask("processes").json()["processes"]
        same([p for p in found if p["interpreter"]], [])


@test
def a_session_that_slept_goes_on(uid):
    with Session(uid) as s:
        same(s.code("x = 'y' * 5; print('a' * 3000)")["status"], "success")
        s.code("for i in range(2000): print('b' * 60)")
        time.sleep(2.5)  # by then it has given back what it could
        a = s.code("print(x); x * 2")
        same((a["output"], a["result"], a["state_lost"]), ("yyyyy\n", "'yyyyyyyyyy'", False))


@test
def a_canary_ends_whoever_prints_it(uid):
    with Session(uid, tool="canary") as s:
        a = s.code("echo $TRAP; sleep 60")
        same((a["kill_reason"], a["state_lost"]), ("canary", True))
        check(SECRET not in json.dumps(a))
        # One that has ended by then, or whose line never does: it is seen with the end, and ends as the others.
        for text in ("echo $TRAP", "printf %s $TRAP", "echo $TRAP >&2"):
            same(s.code("kept=here")["status"], "success")
            a = s.code(text)
            same((text, a["kill_reason"], a["was_killed"], a["state_lost"]), (text, "canary", True, True))
            same(s.code("echo [$kept]")["output"], "[]\n")
        same(s.run("sh", "-c", "echo $TRAP; sleep 60")["kill_reason"], "canary")
        same(s.code("echo fine")["output"], "fine\n")


@test
def what_a_larger_pipe_holds_is_read_to_its_end(uid):
    larger = "import fcntl, os; fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)\n"
    write = "import os; os.write(1, b'x y z\\n' * 100000 + os.environ.get('TRAP', '').encode())"
    with Session(uid) as s:
        for end in ("", "; os._exit(0)", "", "; os._exit(0)", "; os._exit(0)"):
            same(s.code(larger)["status"], "success")
            a = s.code(write + end)
            same((end, a["stdout"]["bytes_seen"]), (end, 600000))
            same(s.code("print('mine')")["output"], "mine\n")
            same(s.run("python3", "-c", larger + write + end)["stdout"]["bytes_seen"], 600000)
    with Session(uid, tool="canary") as s:
        for end in ("", "; exit", "", "; exit", "; exit"):
            same(s.code(f"python3 -c '{larger}'")["status"], "success")
            a = s.code(f'python3 -c "{write}"{end}')
            same((end, a["kill_reason"], a["state_lost"]), (end, "canary", True))
            same(s.code("echo fine")["output"], "fine\n")
            a = s.run("python3", "-c", larger + write)
            same((a["kill_reason"], a["was_killed"]), ("canary", True))


@test
def whatever_a_snippet_says_on_the_channel_harms_only_itself(uid):
    garbage = ("os.write(100, b'garbage\\n')", "os.write(100, b'\\0' * 200)", "os.close(100)",
               "os.write(100, b'f' * 32 + b' 0 -\\n')",
               "import sys\nf = sys._getframe()\nwhile 'message' not in f.f_locals: f = f.f_back\n"
               "os.write(100, f.f_locals['message'].nonce + b' 0 99999999\\n')",
               "for _ in range(1000): os.write(100, b'x' * 65536)")
    with Session(uid) as s:
        for line in garbage:
            a = s.code("import os, time\n" + line + "\ntime.sleep(30)")
            same((line, a["status"], a["state_lost"]), (line, "error", True))
            same(s.code("1 + 1")["result"], "2")
        # It may lie about itself: the next one is not confused by what comes late.
        lie = ("import os, sys, time\nf = sys._getframe()\n"
               "while 'message' not in f.f_locals: f = f.f_back\n"
               "os.write(100, f.f_locals['message'].nonce + b' 0 3\\nlie')\ntime.sleep(30)")
        a = s.code(lie)
        same((a["status"], a["result"]), ("success", "lie"))
        a = s.code("2 + 2", limits={"wall": "1s"})
        check(a["result"] in ("4", None), a)
        twice = s.code(lie.replace("b' 0 3\\nlie'", "b' 0 -\\n' * 2"))
        check(twice["state_lost"], twice)
        same(s.code("3 + 3")["result"], "6")


@test
def background_processes_stay_and_are_killed_with_the_session(uid):
    with Session(uid) as s:
        same(s.code("sleep 600 >/dev/null 2>&1 & echo $!", "bash")["status"], "success")
        while "sleep" not in [p["name"] for p in s.ask("processes").json()["processes"]]:
            time.sleep(0.05)
        # One that writes on for ever does not keep a snippet from its end.
        a = s.code("(while :; do echo y; done) & sleep 0.1; echo over", "bash")
        same(a["status"], "success")
        over = s.ask("close").json()
        same(over["state"], "closed")
        check(over["usage"]["cpu_ms"] >= 0 and over["receipt"], over)


@test
def a_front_that_goes_away_ends_everything_and_the_log_is_whole(uid):
    with Session(uid) as s:
        s.code("x = 1")
        s.begin("exec", {"argv": ["sleep", "600"]})
        s.begin("code", {"code": "import time\ntime.sleep(600)"})
        s.k.sock.close()
        same(s.k.process.wait(60), 0)
        open_ones = {}
        for r in s.records():
            if r["kind"] == "started":
                open_ones[r["id"]] = r
            elif r["kind"] in ("finished", "aborted"):
                same(r["kind"], "finished")
                del open_ones[r["id"]]
        same(open_ones, {})


@test
def every_action_is_in_the_log(uid):
    with Session(uid) as s:
        s.code("1")
        s.run("true")
        s.ask("file_put", b"text", path="f")
        s.ask("file_get", path="f")
        s.ask("file_stat", path="f")
        s.ask("file_list")
        s.ask("file_remove", path="f")
        s.ask("processes")
        s.ask("extend", {"ttl": "1m"})
        serial = s.begin("exec", {"argv": ["sleep", "600"]})
        s.ask("signal", target=serial, number=9)
        s.until("answer", serial)
        s.ask("file_get", path="none")
        s.ask("close", client="nobody-knows")
        wanted = ["open", "code", "exec", "put", "get", "stat", "list", "remove", "processes", "extend",
                  "exec", "signal", "get", "close"]
        records = [r for r in s.records() if r.get("session")]
        same([r["action"] for r in records if r["kind"] == "started"], ["session_" + w for w in wanted])
        same(sorted(r["id"] for r in records if r["kind"] == "started"),
             sorted(r["id"] for r in records if r["kind"] == "finished"))
        same({r["session"] for r in records}, {"s-1"})
        put = next(r for r in records if r["action"] == "session_put")
        check('"bytes":4' in put["args"] and "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
              in put["args"], put)
        same([r["status"] for r in records if r["kind"] == "finished" and r["action"] == "session_get"],
             ["success", "error"])


@test
def what_a_program_is_fed_and_refused_is_written_down(uid):
    with Session(uid) as s:
        serial = s.begin("exec", {"argv": ["sh"], "stdin_open": True})
        same(s.ask("input", f"echo fed {SECRET}\n".encode(), target=serial).http, 200)
        same(s.ask("input", b"\0\xff\n", target=serial).http, 200)
        same(s.ask("input", b"", target=serial).http, 200)
        same(s.until("answer", serial).json()["output"], "fed [REDACTED:secret:word]\n")
        fed = [json.loads(r["args"]) for r in s.records()
               if r["kind"] == "started" and r.get("action") == "session_input"]
        same([a.get("stdin") for a in fed], ["echo fed [REDACTED:secret:word]\n", None, None])
        same([a["bytes"] for a in fed][1:], [3, 0])
    with Session(uid, "strict") as s:
        same(s.ask("exec", {"argv": ["id"]}).http, 403)
        tried = [r for r in s.records() if r.get("action") == "session_exec"]
        check('"id"' in tried[0]["args"], tried)
        same([r["status"] for r in tried if r["kind"] == "finished"], ["denied"])


@test
def a_shell_that_leaves_by_itself_was_not_killed(uid):
    with Session(uid) as s:
        a = s.code("exit 3", "bash")
        same((a["status"], a["exit_code"], a["was_killed"], a["state_lost"]), ("error", 3, False, True))
        same(s.code("echo again", "bash")["output"], "again\n")


@test
def a_secret_that_was_replaced_is_still_one(uid):
    with Session(uid) as s:
        s.code("import os; w = os.environ['WORD']; open('f', 'w').write(w); open(w, 'w').write('')")
        with open(s.secret, "r+", encoding="utf-8") as out:
            out.write("the-next-one-of-these-words\n")
        same(s.code("print(w); w")["output"], "[REDACTED:secret:word]\n")
        same(s.code("os.environ['WORD']")["result"], "'[REDACTED:secret:word]'")
        same(s.run("cat", "f")["output"], "[REDACTED:secret:word]")
        same(s.run("sh", "-c", "echo $WORD")["output"], "[REDACTED:secret:word]\n")
        same(s.ask("file_get", path="f").body, b"[REDACTED:secret:word]")
        check(SECRET not in str(s.ask("file_list", path="").json()))


def too_late(*_):
    raise AssertionError("it takes for ever")


def main():
    signal.signal(signal.SIGALRM, too_late)
    wanted = sys.argv[4:]
    cases = [(f, uid) for f in TESTS for uid in (None, USER)
             if not wanted or f.__name__ in wanted]
    failed = 0
    print("1..%d" % len(cases))
    for i, (function, uid) in enumerate(cases):
        name = function.__name__.replace("_", " ") + (", as a user" if uid else ", as root")
        if os.geteuid() != 0:
            print(f"ok {i + 1} - {name} # SKIP not root")
            continue
        signal.alarm(int(os.environ.get("ALARM", "60")))
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
