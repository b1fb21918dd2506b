#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""python_client_test.py BELLJAR sync|async [NAME] - the Python client against a real service.

One list for both: the asyncio client is made to block, call by call.
"""
import asyncio
import inspect
import os
import sys

from clienting import KEY, ClientService
from tapping import run, wait_until
import belljar as client
from belljar import ApiError, CallDenied, CallFailed

ENDLESS = "import time\nprint('on', flush=True)\ntime.sleep(50)"


class Blocking:
    """An object of the asyncio client, with methods that wait."""

    def __init__(self, inner, loop):
        self.__dict__.update(_inner=inner, _loop=loop)

    def _each(self, events):
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(events.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(events.aclose())

    def __getattr__(self, name):
        value = getattr(self._inner, name)
        if not callable(value):
            return value

        def called(*args, **more):
            answer = value(*args, **more)
            if inspect.isawaitable(answer):
                answer = self._loop.run_until_complete(answer)
            elif hasattr(answer, "__anext__"):
                return self._each(answer)
            return Blocking(answer, self._loop) if isinstance(answer, client.AsyncSession) else answer
        return called

    def __enter__(self):
        self._loop.run_until_complete(self._inner.__aenter__())
        return self

    def __exit__(self, *why):
        self._loop.run_until_complete(self._inner.__aexit__(*why))


def connect(url=None, **more):
    if sys.argv[2] == "sync":
        return client.Belljar(url or SERVICE.url, **more)
    return Blocking(client.AsyncBelljar(url or SERVICE.url, **more), LOOP)


def thrown(kind, function, *args, **more):
    try:
        function(*args, **more)
    except kind as error:
        return error
    raise AssertionError("no %s" % kind.__name__)


# Calls.

def execute(t):
    r = JAR.execute("execute_code", "print(6 * 7)")
    t.check(r.success and r.status == "success" and r.output == "42\n" and r.error is None, r.raw)
    t.check(r.exit_code == 0 and r.stdout == b"42\n" and r.execution_time_ms > 0 and r.id, r.raw)
    r = JAR.execute("execute_code", "cat; cat in.txt; echo $COLOUR; echo out >o.txt",
                    language="bash", stdin="a\n", files={"in.txt": b"b\n", "t/x": "text"},
                    env={"COLOUR": "blue"}, artifacts=["*.txt"], limits={"wall": "9s"})
    t.check(r.output == "a\nb\nblue\n", r.raw)
    t.check(r.artifacts.get("o.txt") == b"out\n", r.raw.get("artifacts"))
    t.check(r.raw["limits"]["wall_ms"] == 9000, r.raw["limits"])


def a_failure_is_a_result(t):
    r = JAR.execute("execute_code", "import sys\nsys.stderr.write('oh\\n')\nsys.exit(3)")
    t.check((r.success, r.status, r.exit_code, r.stderr) == (False, "error", 3, b"oh\n"), r.raw)
    t.check(r.error == "oh" and r.why is None, r)
    t.check(thrown(CallFailed, r.raise_for_status).result is r, "")
    r = JAR.execute("execute_code", "sleep 50", language="bash", limits={"wall": "1s"})
    t.check(r.status == "timeout" and not r.success, r.raw)


def call_tool(t):
    r = JAR.call_tool("run_command", {"command": "echo hello"})
    t.check(r.success and r.status == "success" and r.output == "hello\n" and r.id, r.raw)
    t.check(r.exit_code == 0 and r.stdout == b"hello\n", r.raw)
    r = JAR.call_tool("run_command", {"argv": ["echo", '{"a": 1}']})
    t.check(r.raw["json"] == {"a": 1}, r.raw)
    names = [tool["name"] for tool in JAR.tools()]
    t.check(names == ["execute_code", "run_command", "seldom"], names)


def a_refusal_says_why(t):
    r = JAR.execute("run_command", arguments={"command": "rm -rf /"})
    t.check(r.status == "denied" and not r.success and r.why, r.raw)
    t.check(r.why.layer == "screen" and r.why.rule and "rm" in r.why.what and r.why.hint, r.why)
    error = thrown(CallDenied, r.raise_for_status)
    t.check(error.why == r.why and str(error) == r.why.what, error)
    r = JAR.call_tool("nothing")
    t.check(r.status == "permission_denied" and "run_command" in r.why.hint, r.raw)
    thrown(CallDenied, r.raise_for_status)
    r = [JAR.execute("seldom", arguments={"command": "echo 1"}) for _ in range(2)][-1]
    t.check(r.status == "denied" and "rate" in r.why.rule, r.raw)
    t.check(not r.why.permanent and r.why.retry_after_ms > 0, r.why)
    checked = JAR.check("run_command", arguments={"command": "rm -rf /"})
    t.check(checked["decision"] == "deny" and checked["dry_run"], checked)
    told = JAR.screen(language="python", code="import ctypes")
    t.check(told["language"] == "python" and "screening" in told, told)


def a_wrong_request_says_where(t):
    e = thrown(ApiError, JAR.execute, "execute_code", "1", limits={"walls": 1})
    t.check((e.status, e.code) == (400, "invalid_body") and e.request_id, e)
    t.check(e.errors[0]["pointer"] == "/limits/walls" and "/limits/walls" in str(e), e.errors)
    e = thrown(ApiError, JAR.call, "bj-" + "0" * 24)
    t.check((e.status, e.code) == (404, "not_found"), e)
    e = thrown(ApiError, list, JAR.stream("execute_code", "1", colour="red"))
    t.check((e.status, e.errors[0]["pointer"]) == (400, "/colour"), e)


def a_url_that_is_none_is_refused(t):
    """Else the key goes to whoever listens at the standard place."""
    for url in ("jar.example:8640", "localhost", "ftp://jar.example", "http://", "unix://jar.sock",
                "http://jar.example/prefix", "http://me@jar.example"):
        t.check(thrown(ValueError, connect, url), url)
    connect("http://127.0.0.1:8640/")  # a slash at its end is no other place


def keys(t):
    with_key = connect(key=KEY)
    t.check(with_key.execute("run_command", arguments={"command": "echo 1"}).success, "")
    r = with_key.execute("execute_code", "print(1)")
    t.check(r.status == "denied" and r.why, r.raw)
    e = thrown(ApiError, connect(key="no-such-key").execute, "run_command")
    t.check((e.status, e.code) == (401, "unauthorized"), e)
    e = thrown(ApiError, with_key.audit, limit=1)
    t.check((e.status, e.code) == (403, "forbidden"), e)

    def the_log_is_read():  # 503 until its reader has seen the log's new key
        try:
            return JAR.audit(limit=1)["calls"]
        except ApiError as error:
            return error.status != 503 and t.check(False, error)
    wait_until(the_log_is_read)


def a_key_makes_a_call_once(t):
    one = JAR.execute("execute_code", "import os\nprint(os.urandom(8).hex())", idempotency_key="k1")
    two = JAR.execute("execute_code", "import os\nprint(os.urandom(8).hex())", idempotency_key="k1")
    t.check(one.output == two.output and one.id == two.id, (one.raw, two.raw))
    e = thrown(ApiError, JAR.execute, "execute_code", "print(2)", idempotency_key="k1")
    t.check((e.status, e.code) == (422, "unprocessable"), e)


def over_a_unix_socket(t):
    jar = connect("unix://" + SERVICE.path)
    t.check(jar.execute("execute_code", "print(1)").output == "1\n", "")
    names = [e.name for e in jar.stream("execute_code", "print(1)")]
    t.check(names == ["start", "stdout", "result"], names)


# Streams.

def streams(t):
    events = list(JAR.stream("execute_code", "echo 1; sleep 0.3; echo 2 >&2; exit 3", language="bash"))
    names = [e.name for e in events]
    t.check(names == ["start", "stdout", "stderr", "result"], names)
    t.check(events[1].text == "1\n" and events[2].bytes == b"2\n", events)
    t.check(events[-1].result.exit_code == 3 and events[0].result is None, "")
    refused = list(JAR.stream("run_command", arguments={"command": "rm -rf /"}))
    t.check([e.name for e in refused] == ["result"] and refused[0].result.why, refused)


def leaving_a_stream_cancels_the_call(t):
    for event in JAR.stream("execute_code", ENDLESS):
        if event.name == "start":
            call_id = event.data["id"]
        if event.name == "stdout":
            break
    event = None
    wait_until(lambda: JAR.call(call_id)["state"] == "finished")
    t.check(JAR.call(call_id)["answer"]["kill_reason"] == "cancelled", JAR.call(call_id))


def a_started_call_goes_on(t):
    call_id = JAR.start("execute_code", "echo 1; sleep 0.5; echo 2", language="bash")
    t.check(JAR.call(call_id)["id"] == call_id, "")
    text = "".join(e.text for e in JAR.follow(call_id) if e.name == "stdout")
    t.check(text == "1\n2\n", text)
    t.check("".join(e.text for e in JAR.follow(call_id, "stdout", 2) if e.name == "stdout") == "2\n", "")
    told = JAR.call(call_id)
    t.check(told["state"] == "finished" and told["answer"]["output"] == "1\n2\n", told)
    thrown(CallDenied, JAR.start, "run_command", arguments={"command": "rm -rf /"})
    call_id = JAR.start("execute_code", ENDLESS)
    JAR.cancel(call_id)
    wait_until(lambda: JAR.call(call_id)["state"] == "finished")
    t.check(not JAR.call(call_id)["answer"]["success"], JAR.call(call_id))


# Sessions.

def a_session_keeps_variables(t):
    with JAR.session("execute_code", language="python", files={"a.txt": "hi"}) as s:
        s.code("x = 20\nimport json")
        t.check(s.code("print(x + 1, json.dumps(open('a.txt').read()))").output == '21 "hi"\n', "")
        r = s.code("1 / 0")
        t.check(not r.success and "ZeroDivisionError" in r.stderr.decode(), r.raw)
        names = [e.name for e in s.stream_code("print(x)")]
        t.check(names == ["start", "stdout", "result"], names)
        t.check(s.code("echo $((1 + 1))", language="bash").output == "2\n", "")
        t.check(s.describe()["state"] == "open", "")
        t.check([x["id"] for x in JAR.sessions()] == [s.id], JAR.sessions())
        t.check(s.extend("30m")["expires"] < s.opened["expires"], "")
    e = thrown(ApiError, s.describe)
    t.check((e.status, e.code) == (410, "gone"), e)
    t.check(JAR.sessions() == [], "")


def a_session_is_forked(t):
    if os.uname().machine != "x86_64":
        return
    with JAR.session("execute_code", language="python", files={"a.txt": "hi"}) as s:
        s.code("x = [1]")
        with s.fork() as other:
            t.check(other.id != s.id and other.opened["forked_from"] == s.id, other.opened)
            other.code("x.append(2); open('a.txt', 'a').write(' there')")
            t.check(other.code("print(x, open('a.txt').read())").output == "[1, 2] hi there\n", "")
            t.check(s.code("print(x, open('a.txt').read())").output == "[1] hi\n", "")
            t.check({x["id"] for x in JAR.sessions()} == {s.id, other.id}, JAR.sessions())
            with other.fork() as third:
                t.check(third.code("print(x)").output == "[1, 2]\n", "")
        t.check(s.code("x").raw["result"] == "[1]", "")
        s.code("echo", language="bash")
        t.check(thrown(ApiError, s.fork).status == 409, "")


def a_session_has_files(t):
    with JAR.session("execute_code") as s:
        bytes_ = bytes(range(256)) * 9000
        t.check(s.put("d e/é%.bin", bytes_)["size"] == len(bytes_), "")
        t.check(s.get("d e/é%.bin") == bytes_, "")
        t.check(s.get("d e/é%.bin", 10, 20) == bytes_[10:30], "")
        t.check(s.get("d e/é%.bin", len(bytes_) - 3) == bytes_[-3:], "")
        t.check(s.stat("d e/é%.bin")["size"] == len(bytes_), "")
        s.put("run.sh", "#!/bin/sh\necho ran\n", executable=True)
        t.check(s.exec(["./run.sh"]).output == "ran\n", "")
        t.check(sorted(e["name"] for e in s.list()) == ["d e", "run.sh"], s.list())
        t.check([e["name"] for e in s.list("d e")] == ["é%.bin"], s.list("d e"))
        t.check(thrown(ApiError, s.get, "d e").status == 409, "")
        t.check(thrown(ApiError, s.get, "none").status == 404, "")
        t.check(thrown(ApiError, s.remove, "d e").status == 409, "")
        s.remove("d e", recursive=True)
        s.remove("run.sh")
        t.check(s.list() == [], s.list())


def a_session_runs_programs(t):
    with JAR.session("execute_code", language="bash") as s:
        r = s.exec("echo $((6 * 7)) && exit 4")
        t.check((r.output, r.exit_code) == ("42\n", 4), r.raw)
        text, running = "", None
        for event in s.stream_exec(["cat"], stdin_open=True):
            if event.name == "start":
                running = event.data["id"]
                t.check(any(p["exec"] == running for p in s.processes()), s.processes())
                t.check(s.program(running)["state"] == "running", "")
                s.send_input(running, b"one\n")
            elif event.name == "stdout":
                text += event.text
                s.send_input(running, b"two\n" if text == "one\n" else b"", eof=text != "one\n")
        t.check(text == "one\ntwo\n" and event.result.success, event)
        for event in s.stream_exec(["sleep", "50"]):
            if event.name == "start":
                s.signal(event.data["id"], "TERM")
        t.check(event.result.raw["signal_name"] == "TERM" and not event.result.success, event)
        for event in s.stream_exec(["sleep", "50"]):
            if event.name == "start":
                s.signal(event.data["id"], 9)
        t.check(event.result.raw["signal"] == 9, event)
        e = thrown(ApiError, s.signal, event.data["id"], 9)
        t.check((e.status, e.code) == (409, "conflict"), e)


TESTS = [
    execute, a_failure_is_a_result, call_tool, a_refusal_says_why, a_wrong_request_says_where,
    a_url_that_is_none_is_refused, keys,
    a_key_makes_a_call_once, over_a_unix_socket, streams, leaving_a_stream_cancels_the_call,
    a_started_call_goes_on, a_session_keeps_variables, a_session_is_forked, a_session_has_files, a_session_runs_programs,
]
LOOP = asyncio.new_event_loop()
with ClientService(sys.argv[1]) as SERVICE:
    JAR = connect()
    run(TESTS)
