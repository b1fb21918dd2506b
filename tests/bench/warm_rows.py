# SPDX-License-Identifier: Apache-2.0
"""warm_rows.py - what is measured of warm boxes, what it is held against, and the bars.

A row is one thing done through belljar once a round; a bare run of the same is done in the same round.
"""
import json
import math

WARM = ("waiting", "forked")
BAR_PER_SECOND, BAR_SESSION_MIB, BAR_TAIL = 3.0, 1.2, 3.0
CROWD = 16
PYTHON = "/usr/bin/python3"
PRINT = "print(2+2)"
IMPORTS = "import json, re, datetime, random, statistics\nprint(statistics.mean([1, 2, 3]))\n"
NUMPY = "import numpy\nprint(int(numpy.arange(10).sum()))\n"
NODE = "console.log(2+2)"
EVENTS = "text/event-stream"

POLICY = """\
version: 1
serve: {{ loopback_without_key: true, queue: 256, queue_wait: 60s, calls_kept: 50, sessions: {sessions} }}
runtimes:
  science: {{ language: python, modules: [numpy] }}
clients:
  local: {{ uid: any, tools: ["*"] }}
tools:
  execute_code: {{ kind: code, languages: [python, node], rate: unlimited,
                  sessions: {{ allow: true, ttl: 2h, idle: 1h }} }}
  science: {{ kind: code, languages: [python], rate: unlimited, runtimes: [science] }}
  run_command: {{ kind: command, programs: ["true"], rate: unlimited }}
"""


def policy(sessions):
    return POLICY.format(sessions=sessions)


def call(code, tool="execute_code", language="python"):
    return {"tool_name": tool, "code": code, "language": language}


class Bare:
    """A start as it is."""

    def __init__(self, name, title, argv, expect):
        self.name, self.title, self.argv, self.expect = name, title, argv, expect

    def take(self, bench):
        taken = bench.watch.bare(*self.argv)
        return taken.whole_us, None if taken.raw == self.expect else "it printed %r" % taken.raw[:60], None


class Row:
    """One thing through belljar.  how: the ways its process may have come to be; None: any."""
    how = None

    def __init__(self, name, title, bare, bar=None, aim=None):
        self.name, self.title, self.bare, self.bar, self.aim = name, title, bare, bar, aim

    def take(self, bench):
        raise NotImplementedError


def started(answer):
    """How its process came to be, as the account tells."""
    start = answer.get("start") or {}
    return start.get("how") or "untold", start.get("why_cold") or ""


class Post(Row):
    """A call by POST /execute: to the whole answer, or to the first byte that is streamed."""

    def __init__(self, name, title, bare, body, expect, how=WARM, first=False, **bars):
        super().__init__(name, title, bare, **bars)
        self.body, self.expect, self.how, self.first = body, expect, how, first

    def take(self, bench):
        taken = bench.watch.post("/execute", self.body, EVENTS if self.first else "*/*",
                                 "event: stdout" if self.first else "")
        answer = taken.answer()
        wrong = None
        if taken.status != 200 or not answer.get("success") or answer.get("output") != self.expect:
            wrong = "%d: %s" % (taken.status, json.dumps(answer)[:300])
        elif self.first and taken.events()["stdout"][0]["data"] != self.expect:
            wrong = "the first piece is %r" % taken.events()["stdout"][0]
        return taken.first_us if self.first else taken.whole_us, wrong, started(answer)


class Slot(Row):
    """A program in a box of libbelljar that is kept: what a caller of a slot sees."""

    def __init__(self, name, title, bare, argv, **bars):
        super().__init__(name, title, bare, **bars)
        self.argv = argv

    def take(self, bench):
        taken = bench.watch.slot(*self.argv)
        return taken.whole_us, "it failed: %r" % taken.raw[:200] if math.isnan(taken.whole_us) else None, None


class Snippet(Row):
    """The next snippet of a session that is open, over a Unix socket or TCP."""

    def __init__(self, name, title, bare, near, **bars):
        super().__init__(name, title, bare, **bars)
        self.near = near

    def take(self, bench):
        ask = bench.watch.near if self.near else bench.watch.post
        taken = ask("/v1/sessions/%s/code" % bench.session(), {"code": "x + 2"})
        answer = taken.answer()
        wrong = None if taken.status == 200 and answer.get("result") == "4" else json.dumps(answer)[:300]
        return taken.whole_us, wrong, None


class Opening(Row):
    """A session is opened and answers its first snippet; then it is closed."""

    def take(self, bench):
        opened = bench.watch.post("/v1/sessions", {"tool_name": "execute_code", "language": "python"})
        if opened.status != 201:
            return math.nan, json.dumps(opened.answer())[:300], None
        name = opened.answer()["id"]
        said = bench.watch.post("/v1/sessions/%s/code" % name, {"code": "2 + 2"})
        bench.close(name)
        wrong = None if said.answer().get("result") == "4" else json.dumps(said.answer())[:300]
        return opened.whole_us + said.whole_us, wrong, None


class Fork(Row):
    """A copy of a session is made, and has its variables; then it is closed."""

    def take(self, bench):
        forked = bench.watch.post("/v1/sessions/%s/fork" % bench.session(), None)
        if forked.status not in (200, 201):
            return math.nan, json.dumps(forked.answer())[:300], None
        name = forked.answer()["id"]
        said = bench.watch.post("/v1/sessions/%s/code" % name, {"code": "x + 3"})
        bench.close(name)
        wrong = None if said.answer().get("result") == "5" else json.dumps(said.answer())[:300]
        return forked.whole_us, wrong, None


def groups(scripts):
    """Rows that take turns.  A process that serves calls remembers three kinds of boxes: more of them in
    turn would measure how they are made anew."""
    start = Bare("bare_python", "python3 -c 'print(2+2)'", [PYTHON, "-c", PRINT], b"4\n")
    calls = [
        start,
        Post("print", "print(2+2), whole answer", "bare_python", call(PRINT), "4\n", bar=0.30, aim=0.20),
        Post("print_first", "print(2+2), first byte", "bare_python", call(PRINT), "4\n", first=True,
             bar=0.12, aim=0.06),
        Bare("bare_imports", "python3, five imports", [PYTHON, scripts["imports"]], b"2\n"),
        Post("imports", "json, re, datetime, random, statistics", "bare_imports", call(IMPORTS), "2\n",
             bar=0.15),
        Bare("bare_numpy", "python3, import numpy", [PYTHON, scripts["numpy"]], b"45\n"),
        Post("numpy", "numpy", "bare_numpy", call(NUMPY, "science"), "45\n", bar=0.06),
        Bare("bare_true", "/bin/true", ["/bin/true"], b""),
        Slot("true_slot", "/bin/true, a slot that is kept", "bare_true", ["/bin/true"], bar=1.5, aim=1.3),
        Post("true", "/bin/true, POST", "bare_true",
             {"tool_name": "run_command", "arguments": {"command": "true"}}, "", how=None),
    ]
    kept = [
        start,
        Snippet("snippet", "next snippet of a session", "bare_python", near=True, bar=0.05),
        Snippet("snippet_tcp", "the same over TCP", "bare_python", near=False),
        Opening("opening", "a new session and its first snippet", "bare_python"),
        Fork("fork", "fork of a session", "bare_python"),
        Bare("bare_node", "node -e 'console.log(2+2)'", ["/usr/bin/node", "-e", NODE], b"4\n"),
        Post("node_first", "node, first byte", "bare_node", call(NODE, language="node"), "4\n",
             how=("waiting",), first=True, bar=0.10),
    ]
    return [calls, kept]
