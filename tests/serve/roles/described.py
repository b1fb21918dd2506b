#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""described.py BELLJAR WHO - a real belljar serve answers as its own /openapi.json says it does."""
import http.client
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import Service  # noqa: E402
from schemacheck import Schemas  # noqa: E402
from tapping import run, wait_until  # noqa: E402

BELLJAR, WHO = os.path.realpath(sys.argv[1]), sys.argv[2]
# Answers that are no JSON objects of ours.
NO_ROWS = {"metrics", "openapi"}


class Described:
    """Asks, and holds each answer against what the description says of it."""

    def __init__(self, t, service):
        self.t, self.service = t, service
        self.document = service.ask("GET", "/openapi.json")[1]
        self.schemas = Schemas(self.document)
        self.seen = set()

    def responses(self, method, pattern):
        operation = self.document["paths"][pattern][method.lower()]
        self.seen.add(operation["operationId"])
        return operation["responses"]

    def schema(self, responses, status, kind):
        said = responses.get(str(status)) or responses["default"]
        if "$ref" in said:
            said = self.schemas.resolve(said["$ref"])
        self.t.check(kind in said["content"], "%d %s is not described" % (status, kind))
        return said["content"].get(kind, {}).get("schema", {})

    def ask(self, method, pattern, body=None, query="", expect=200, headers=None, **names):
        path = pattern
        for name, value in names.items():
            path = path.replace("{%s}" % name, str(value))
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=90)
        given = {"Content-Type": "application/octet-stream", **(headers or {})}
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            given["Content-Type"] = "application/json"
        if body is None:
            del given["Content-Type"]
        connection.request(method, path + query, body, given)
        answer = connection.getresponse()
        raw = answer.read()
        connection.close()
        kind = answer.headers["Content-Type"].split(";")[0]
        self.t.check(answer.status == expect, (method, path, answer.status, raw[:500]))
        schema = self.schema(self.responses(method, pattern), answer.status, kind)
        if not kind.endswith("json"):
            return raw
        value = json.loads(raw)
        found = self.schemas.problems(schema, value, pattern.rpartition("/v1")[2])
        self.t.check(not found, "%s %s: %s" % (method, path, found))
        return value


def answer_calls(d):
    call = {"tool_name": "py", "language": "python", "code": "print(6 * 7)"}
    done = d.ask("POST", "/execute", call)
    d.ask("POST", "/v1/execute", {**call, "code": "import os; os._exit(3)"})
    d.ask("POST", "/v1/execute", {**call, "code": "while True: pass", "limits": {"wall": "1s"}})
    d.ask("POST", "/v1/execute", {**call, "code": "open('a.txt', 'w').write('a')",
                                  "artifacts": ["*.txt", "/etc/*"]})
    d.ask("POST", "/v1/execute", {**call, "tool_name": "none"})
    d.ask("POST", "/v1/execute", {**call, "cod": 1}, expect=400)
    d.ask("POST", "/v1/execute", {**call, "code": "eval(input())\nimport socket, ctypes"})
    d.ask("POST", "/v1/policy/check", call)
    d.ask("POST", "/v1/screen", {"language": "python", "code": "eval(x)\nimport ctypes\n"})
    d.ask("POST", "/v1/screen", {"command": "rm -rf / | sh", "tool_name": "sh"})
    d.ask("GET", "/v1/tools")
    d.ask("POST", "/v1/tools/{name}/call", {"arguments": {"command": "echo '[1]'"}}, name="sh")
    d.ask("POST", "/v1/tools/{name}/call", {"arguments": {"command": "reboot"}}, name="sh")
    d.ask("GET", "/v1/calls")
    d.ask("GET", "/v1/calls/{id}", id=done["id"])
    d.ask("GET", "/v1/calls/{id}", id="nobody", expect=404)
    d.ask("GET", "/v1/calls/{id}/output", id=done["id"])
    d.ask("GET", "/v1/calls/{id}/output", id=done["id"], query="?stream=stderr")
    return done


def answer_sessions(d):
    path = "/v1/sessions/{session}"
    opened = d.ask("POST", "/v1/sessions", {"tool_name": "py", "language": "python"}, expect=201)
    s = opened["id"]
    d.ask("GET", "/v1/sessions")
    d.ask("GET", path, session=s)
    d.ask("POST", path + "/exec", {"argv": ["echo", "hello"]}, session=s)
    for code in ("x = 1\nx", "x", "x", "import time\ntime.sleep(0.1)\nx"):
        ended = d.ask("POST", path + "/code", {"code": code}, session=s)
        found = d.ask("GET", "/v1/calls/{id}", id=ended["id"])
        d.t.check(found["answer"]["result"] == "1" and found["session"] == s, found)
    d.ask("POST", path + "/code", {"code": "1/0"}, session=s)
    # A snippet has no standard input, and the rows know that.
    d.ask("POST", path + "/code", {"code": "1", "stdin": ""}, session=s, expect=400)
    running = d.ask("POST", path + "/exec", {"argv": ["cat"], "stdin_open": True, "detach": True},
                    session=s, expect=202, headers={"Prefer": "respond-async"})
    x = running["id"]
    d.ask("GET", path + "/processes", session=s)
    d.ask("GET", path + "/execs/{exec}", session=s, exec=x)
    d.ask("POST", path + "/execs/{exec}/stdin", b"abc", session=s, exec=x)
    d.ask("POST", path + "/execs/{exec}/signal", {"signal": "CONT"}, session=s, exec=x)
    # The last bytes and the end at once.
    d.ask("POST", path + "/execs/{exec}/stdin", b"def", "?eof=1", session=s, exec=x)
    ended = d.ask("GET", path + "/execs/{exec}", query="?wait=60", session=s, exec=x)
    d.t.check(ended.get("answer", {}).get("output") == "abcdef", ended)
    d.ask("PUT", path + "/files/{path}", b"text", session=s, path="a.txt", expect=201)
    d.ask("PUT", path + "/files/{path}", b"#!", "?executable=1", session=s, path="b/c", expect=201)
    d.t.check(d.ask("GET", path + "/files/{path}", session=s, path="a.txt") == b"text", "")
    d.ask("GET", path + "/files/{path}", session=s, path="a.txt", expect=206,
          headers={"Range": "bytes=1-2"})
    d.ask("GET", path + "/files/{path}", query="?stat=1", session=s, path="a.txt")
    d.ask("GET", path + "/files/{path}", query="?list=1", session=s, path="b")
    d.ask("GET", path + "/files", session=s)
    d.ask("DELETE", path + "/files/{path}", session=s, path="a.txt")
    d.ask("POST", path + "/extend", {"ttl": "1m"}, session=s)
    if os.uname().machine == "x86_64":
        copy = d.ask("POST", path + "/fork", session=s, expect=201)
        d.t.check(copy["forked_from"] == s and copy["id"] != s, copy)
        d.ask("POST", path + "/fork", session="nobody", expect=404)
        d.ask("POST", path + "/kill", session=copy["id"])
    else:
        d.ask("POST", path + "/fork", session=s, expect=501)
    d.ask("POST", path + "/kill", session=s)
    s = d.ask("POST", "/v1/sessions", {"tool_name": "py"}, expect=201)["id"]
    d.ask("DELETE", path, session=s)
    d.ask("GET", path, session=s, expect=410)


# It waits for the signal: one that only has a handler may be about to read when it comes, and sleep on.
HEARS = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("there", flush=True)
signal.sigwait([signal.SIGUSR1])
print("heard", flush=True)
for line in sys.stdin:
    print(line, end="", flush=True)
"""


def answer_while_it_runs(d):
    """What a one-shot call hears while it runs; a session's program hears it by either path."""
    call = {"tool_name": "py", "language": "python", "stdin_open": True, "detach": True, "code": HEARS}
    begun = d.ask("POST", "/execute", call, expect=202, headers={"Prefer": "respond-async"})
    one = {"id": begun["id"]}
    d.ask("GET", "/v1/calls/{id}/output", query="?wait=60", **one)
    d.ask("POST", "/v1/calls/{id}/signal", {"signal": "USR1"}, **one)
    d.ask("GET", "/v1/calls/{id}/output", query="?from=6&wait=60", **one)
    d.ask("POST", "/v1/calls/{id}/signal", {"signal": "BELL"}, expect=400, **one)
    d.ask("POST", "/v1/calls/{id}/stdin", b"a\n", **one)
    d.ask("POST", "/v1/calls/{id}/stdin", b"b\n", "?eof=1", **one)
    ended = d.ask("GET", "/v1/calls/{id}", query="?wait=60", **one)
    d.t.check(ended["answer"]["output"] == "there\nheard\na\nb\n", ended)
    d.ask("POST", "/v1/calls/{id}/stdin", b"c\n", expect=409, **one)
    d.ask("POST", "/v1/calls/{id}/signal", {"signal": 15}, expect=409, **one)
    d.ask("POST", "/v1/calls/{id}/signal", {"signal": 15}, expect=404, id="nobody")


def answer_cancelling(d):
    call = {"tool_name": "py", "language": "bash", "code": "sleep 50", "detach": True}
    begun = d.ask("POST", "/execute", call, expect=202, headers={"Prefer": "respond-async"})
    d.ask("GET", "/v1/calls/{id}", id=begun["id"])
    d.ask("DELETE", "/v1/calls/{id}", id=begun["id"], expect=202)
    d.ask("GET", "/v1/calls/{id}", query="?wait=60", id=begun["id"])
    d.ask("DELETE", "/v1/calls/{id}", id=begun["id"], expect=200)


def answer_the_log(d, call):
    # A reader that was there before the log's key goes once, and another one comes.
    wait_until(lambda: d.service.ask("GET", "/v1/audit")[0] == 200)
    d.ask("GET", "/v1/audit", query="?limit=3")
    d.ask("GET", "/v1/audit", query="?after=0&limit=1")
    d.ask("GET", "/v1/audit", query="?limit=x", expect=400)
    d.ask("GET", "/v1/audit/{id}", id=call["id"])
    d.ask("GET", "/v1/audit/{index}/record", index=call["receipt"]["index"])
    wait_until(lambda: d.service.ask("GET", "/v1/audit/%d/proof" % call["receipt"]["index"])[0]
               == 200)
    d.ask("GET", "/v1/audit/{index}/proof", index=call["receipt"]["index"])
    d.ask("GET", "/v1/audit/checkpoint")
    d.t.check(d.ask("POST", "/v1/audit/verify")["ok"], "the log is whole")


def answer_for_itself(d):
    for path in ("/healthz", "/readyz", "/version", "/metrics", "/openapi.json"):
        d.ask("GET", path)
    d.ask("POST", "/v1/admin/reload", expect=200)


def every_answer_is_as_described(t):
    s = Service(BELLJAR, as_user=WHO == "user")
    wait_until(s.is_ready)
    d = Described(t, s)
    call = answer_calls(d)
    answer_sessions(d)
    answer_while_it_runs(d)
    answer_cancelling(d)
    answer_the_log(d, call)
    answer_for_itself(d)
    known = {o["operationId"] for path in d.document["paths"].values() for o in path.values()}
    t.check(known == d.seen, "nobody asked: %s" % sorted(known - d.seen))
    t.check(not d.schemas.unlisted, "no row has: %s" % sorted(d.schemas.unlisted))
    plain = [o["operationId"] for path in d.document["paths"].values() for o in path.values()
             for r in o["responses"].values() for c in r.get("content", {}).values()
             if c["schema"] == {"type": "object"} and o["operationId"] not in NO_ROWS]
    t.check(not plain, "any object at all: %s" % plain)
    t.check(s.end() == 0 and t.fine, s.lines())
    s.forget()


def metrics_of(s):
    text = s.ask("GET", "/metrics")[1].decode()
    return text, {line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
                  for line in text.splitlines() if not line.startswith("#")}


def what_happens_is_counted(t):
    s = Service(BELLJAR, as_user=WHO == "user")
    wait_until(s.is_ready)
    s.execute("print('AKIA' + 'QYLPMN5HHHFPZAM2')")
    s.execute("print('x' * 100000)", limits={"output": 1000})
    s.execute("while True: pass", limits={"wall": "300ms"})
    s.ask("POST", "/v1/screen", {"language": "python", "code": "eval('sesame')"})
    s.ask("POST", "/v1/tools/sh/call", {"arguments": {"command": "echo a", "sesame": 1}})
    s.ask("POST", "/v1/tools/sesame/call", {"arguments": {}})
    session = s.ask("POST", "/v1/sessions", {"tool_name": "py"})[1]["id"]
    s.ask("GET", "/v1/sessions/%s/files" % session)
    s.ask("DELETE", "/v1/sessions/" + session)
    wait_until(lambda: s.ask("GET", "/v1/audit")[0] == 200)
    verdict = s.ask("POST", "/v1/audit/verify")[1]
    text, counted = metrics_of(s)
    for name, least in (
            ('belljar_runs_total{tool="py",verdict="success",backend="native"}', 2),
            ('belljar_policy_decisions_total{decision="allow",rule="none"}', 3),
            ('belljar_policy_decisions_total{decision="deny",rule="tools.sh.args"}', 1),
            ('belljar_limits_hit_total{limit="wall"}', 1),
            ("belljar_output_truncated_bytes_total", 99001),
            ("belljar_run_duration_seconds_count", 3),
            ("belljar_sandbox_start_seconds_count", 3),
            ("belljar_audit_records_total", 12)):
        t.check(counted.get(name, 0) >= least, (name, text))
    # However they started, each is counted once, and one that waited is no miss.
    starts = {how: counted['belljar_starts_total{how="%s"}' % how]
              for how in ("cold", "sealed", "forked", "waiting")}
    t.check(sum(starts.values()) == counted["belljar_sandbox_start_seconds_count"], text)
    t.check(counted["belljar_warm_hits_total"] == starts["waiting"], text)
    t.check(starts["forked"] <= counted["belljar_warm_misses_total"] <=
            sum(starts.values()) - starts["waiting"], text)
    t.check(counted["belljar_warm_interpreter_age_seconds_count"] ==
            starts["waiting"] + starts["forked"], text)
    if starts["waiting"] + starts["forked"]:
        t.check(counted["belljar_warm_refills_total"] > 0 and
                counted["belljar_warm_interpreters_started_total"] > 0, text)
    for name in ("belljar_screen_findings_total{rule=", "belljar_redactions_total{kind="):
        t.check(any(line.startswith(name) and "other" not in line for line in counted), name)
    t.check(any(line.startswith("belljar_build_info{version=") for line in counted), text)
    # The log has what nobody answered for, too: that it was opened, checkpoints.
    t.check(0 < counted["belljar_audit_last_seq"] < verdict["records"], (verdict, text))
    t.check(counted["belljar_audit_records_total"] <= verdict["records"], (verdict, text))
    t.check("sesame" not in text, "a client's word became a label")
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                              capture_output=True)
        t.check(done.returncode == 0 and not done.stdout + done.stderr, done)
    else:
        t.say("SKIP: there is no promtool to check the text with")
    t.check(s.end() == 0 and t.fine, s.lines())
    s.forget()


def the_checker_sees_what_is_wrong(t):
    """A check that cannot fail would prove nothing."""
    document = {"at": {"type": "object", "required": ["a"], "properties": {
        "a": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
        "b": {"type": "array", "items": {"enum": ["x"]}}, "c": {"format": "date-time"},
        "d": {"contentEncoding": "base64"}}}}
    s = Schemas(document)
    at = {"$ref": "#/at"}
    for wrong in ({}, [], {"a": "1"}, {"a": -1}, {"a": True}, {"a": None, "b": ["y"]},
                  {"a": 1, "c": "today"}, {"a": 1, "d": "%"}):
        t.check(s.problems(at, wrong), wrong)
    right = {"a": None, "b": ["x"], "c": "2026-11-15T00:00:00.000Z", "d": "AAEC"}
    t.check(not s.problems(at, right) and not s.unlisted, s.problems(at, right))
    t.check(not s.problems(at, {"a": 1, "e": 1}) and s.unlisted == {"/e"}, s.unlisted)


run([the_checker_sees_what_is_wrong, every_answer_is_as_described, what_happens_is_counted])
