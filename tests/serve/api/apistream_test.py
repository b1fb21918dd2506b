# SPDX-License-Identifier: Apache-2.0
"""apistream_test.py - events, calls that are looked at again, cancelled, detached or left."""
import base64
import json
import socket
import time

from fronting import PATIENCE, bounded, client, expect, front, main, problem, view, wait_until

FORMS = ("text/event-stream", "application/x-ndjson")


def text_of(events, name):
    out = b""
    for event, data in events:
        if event == name:
            expect(data["offset"], len(out), "offset")
            out += (data["data"].encode() if "data" in data
                    else base64.b64decode(data["data_base64"]))
    return out


def a_call_comes_as_events():
    with front() as f:
        for form in FORMS:
            s = f.stream(["begun", "out one\\n", "err two", "out three", 'answer 200 {"success":true}'],
                         form)
            expect(s.response.status, 200)
            expect(s.response.getheader("Content-Type"), form)
            expect(s.response.getheader("X-Accel-Buffering"), "no")
            events = s.rest()
            expect(events[0][0], "start")
            expect(events[0][1]["id"].startswith("bj-"), True)
            expect(text_of(events, "stdout"), b"one\\nthree")
            expect(text_of(events, "stderr"), b"two")
            expect(events[-1], ("result", {"success": True}))


def events_come_while_it_runs():
    with front() as f:
        s = f.stream(["begun", "out early", "wait " + f.path("go"), "out late"])
        expect(s.next()[0], "start")
        expect(s.next(), ("stdout", {"data": "early", "offset": 0}))
        f.touch("go")
        expect(s.next(), ("stdout", {"data": "late", "offset": 5}))
        expect(s.next()[0], "result")
        expect(s.next(), None)


def characters_are_not_cut_in_two():
    with front() as f:
        for form in FORMS:
            s = f.stream(["begun", "hex 1 61c3", "wait " + f.path("a" + form[:4]), "hex 1 a9e282",
                          "hex 1 ac62"], form)
            s.next()
            expect(s.next(), ("stdout", {"data": "a", "offset": 0}))
            f.touch("a" + form[:4])
            events = s.rest()
            expect(all("data" in d for n, d in events if n == "stdout"), True)
            expect(b"a" + b"".join(d["data"].encode() for n, d in events if n == "stdout"),
                   "a\u00e9\u20acb".encode())


def bytes_that_are_no_text_come_as_base64():
    with front() as f:
        events = f.stream(["begun", "hex 1 fffe00", "hex 2 e282"]).rest()
        expect(text_of(events, "stdout"), b"\xff\xfe\x00")
        expect(text_of(events, "stderr"), b"\xe2\x82")
        expect(any("data_base64" in d for n, d in events if n == "stderr"), True)


def a_refusal_before_it_begins_is_no_stream():
    with front() as f:
        s = f.stream(['problem 400 {"code":"invalid_body"}'])
        expect(s.response.status, 400)
        expect(s.response.getheader("Content-Type"), "application/problem+json")
        s = f.stream(["begun", "out x", "die"])
        events = s.rest()
        expect((events[-1][0], events[-1][1]["status"]), ("result", "unknown"))
        s = f.stream(["begun", 'problem 500 {"code":"internal"}'])
        expect(s.rest()[-1], ("error", {"code": "internal"}))


def a_call_can_be_looked_at_again():
    with front() as f:
        s = f.stream(["begun", "out hello", "err oh", "wait " + f.path("go"), "out world"])
        call = s.next()[1]["id"]
        s.next(), s.next()
        r = f.ask("GET", "/v1/calls/" + call)
        expect((r.json["state"], r.json["stdout_bytes"], r.json["client"]), ("running", 5, "ann"))
        r = f.ask("GET", "/v1/calls/%s/output?stream=stdout&from=2" % call)
        expect((r.json["data"], r.json["next"], r.json["end"]), ("llo", 5, False))
        again = f.stream([], path="/v1/calls/%s/output" % call, method="GET")
        expect([again.next()[0] for _ in range(3)], ["start", "stdout", "stderr"])
        third = f.stream([], form=FORMS[1], path="/v1/calls/%s/output?stream=stdout&from=3" % call,
                         method="GET")
        expect(third.next()[0], "start")
        expect(third.next(), ("stdout", {"data": "lo", "offset": 3}))
        f.touch("go")
        for one in (s, again, third):
            events = one.rest()
            expect(events[0], ("stdout", {"data": "world", "offset": 5}))
            expect(events[-1][0], "result")
        r = f.ask("GET", "/v1/calls/" + call)
        expect((r.json["state"], r.json["answer"]["success"]), ("finished", True))
        r = f.ask("GET", "/v1/calls/%s/output?from=5" % call)
        expect((r.json["data"], r.json["end"]), ("world", True))
        late = f.stream([], path="/v1/calls/%s/output" % call, method="GET").rest()
        expect(text_of(late, "stdout"), b"helloworld")
        expect(late[-1][0], "result")
        expect(call in [c["id"] for c in f.ask("GET", "/v1/calls").json["calls"]], True)


def others_do_not_see_a_call():
    with front() as f:
        call = f.stream(["begun"]).rest()[0][1]["id"]
        for path in ("/v1/calls/" + call, "/v1/calls/%s/output" % call):
            problem(f.ask("GET", path, key="bob"), 404, "not_found")
            expect(f.ask("GET", path, key="root").status, 200)
        problem(f.ask("DELETE", "/v1/calls/" + call, key="bob"), 404, "not_found")
        expect(f.ask("GET", "/v1/calls", key="bob").json["calls"], [])
        for odd in ("bj-none", "x" * 60, "%00", "a%2Fb"):
            expect(f.ask("GET", "/v1/calls/" + odd).status in (400, 404), True, odd)


def bad_parameters_are_named():
    with front() as f:
        call = f.stream(["begun", "out abc"]).rest()[0][1]["id"]
        for query in ("stream=both", "from=-1", "from=x", "from=4&stream=stdout", "wait=61",
                      "wait=1x"):
            problem(f.ask("GET", "/v1/calls/%s/output?%s" % (call, query)), 400, "bad_request")
        r = f.ask("GET", "/v1/calls/%s/output?from=1" % call, headers={"Accept": FORMS[0]})
        problem(r, 400, "bad_request")


def a_long_poll_waits_for_news():
    with front() as f:
        s = f.stream(["begun", "wait " + f.path("a"), "out x", "wait " + f.path("b")])
        call = s.next()[1]["id"]
        waiting = f.begin("GET", "/v1/calls/%s/output?wait=60" % call)
        whole = f.begin("GET", "/v1/calls/%s?wait=60" % call)
        expect(f.ask("GET", "/v1/calls/%s/output" % call).json["data"], "")
        f.touch("a")
        expect(b'"data":"x"' in waiting.recv(65536), True)
        whole.settimeout(0.2)
        try:
            expect(whole.recv(10), b"nothing before the end")
        except TimeoutError:
            pass
        whole.settimeout(PATIENCE)
        f.touch("b")
        expect(b'"state":"finished"' in whole.recv(65536), True)
        s.rest()
        # And one that waits in vain is answered all the same.
        s = f.stream(["begun", "wait " + f.path("never")])
        call = s.next()[1]["id"]
        expect(f.ask("GET", "/v1/calls/%s?wait=1" % call).json["state"], "running")
        s.close()


def delete_cancels():
    with front() as f:
        s = f.stream(["begun", "wait " + f.path("never")])
        call = s.next()[1]["id"]
        r = f.ask("DELETE", "/v1/calls/" + call)
        expect((r.status, r.json["cancelled"]), (202, True))
        expect(s.rest()[-1][1]["cancelled"], True)
        expect(f.ask("DELETE", "/v1/calls/" + call).status, 200)


def whoever_goes_away_cancels():
    with front() as f:
        for streaming in (True, False):
            if streaming:
                s = f.stream(["begun", "wait " + f.path("never")])
                s.next()
                s.close()
            else:
                s = f.begin("POST", "/execute", "begun\nwait " + f.path("never"))
                f.wait_metric("belljar_calls_running", 1)
                s.close()
            f.wait_metric("belljar_calls_running", 0)
        expect(f.metric("belljar_cancelled_total"), 2.0)
        # The keepers are free again.
        expect([f.run(["echo"]).status for _ in range(4)], [200] * 4)


def unless_it_was_detached():
    with front() as f:
        s = f.stream(["begun detach", "out a", "wait " + f.path("go"), "out b"])
        call = s.next()[1]["id"]
        s.close()
        f.touch("go")
        r = f.ask("GET", "/v1/calls/%s?wait=60" % call)
        expect((r.json["state"], r.json["answer"]["cancelled"]), ("finished", False))
        expect(f.ask("GET", "/v1/calls/%s/output" % call).json["data"], "ab")
        # Whoever does not want to wait hears at once where to look.
        r = f.run(["begun detach", "wait " + f.path("later")],
                  headers={"Prefer": "respond-async"})
        expect((r.status, r.getheader("Location")), (202, "/v1/calls/" + r.json["id"]))
        f.touch("later")
        r = f.ask("GET", r.getheader("Location") + "?wait=60")
        expect(r.json["state"], "finished")


def a_slow_reader_costs_nothing_and_hears_of_the_gap():
    with front() as f:
        quick = f.run(["begun", "fill 1 1000"]).status
        expect(quick, 200)
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", f.port))
        s.settimeout(PATIENCE)
        body = "begun\nfill 1 40000000\nwait " + f.path("go")
        s.sendall(("POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-ann\r\n"
                   "Content-Type: application/json\r\nAccept: application/x-ndjson\r\n"
                   "Content-Length: %d\r\n\r\n%s" % (len(body), body)).encode())
        before = f.resident()
        wait_until(lambda: [c["stdout_bytes"] for c in f.ask("GET", "/v1/calls").json["calls"]
                            if c["state"] == "running"] == [40000000], "all of the output")
        bounded(f, before, 8 << 20, "memory for a slow reader")
        f.touch("go")
        data = b""
        while b'"event":"result"' not in data:
            piece = s.recv(1 << 20)
            if not piece:
                break
            data += piece
        lines = [json.loads(line) for line in data.split(b"\r\n") if line.startswith(b"{")]
        gaps = [d for d in lines if d["event"] == "gap"]
        seen = sum(len(d["data"]) for d in lines if d["event"] == "stdout")
        expect(len(gaps) > 0, True, "a gap")
        expect(seen + sum(d["to"] - d["from"] for d in gaps), 40000000)


def a_stream_that_is_quiet_shows_that_it_lives():
    with front(beat_ms=100) as f:
        s = f.stream(["begun", "wait " + f.path("go")], FORMS[1])
        expect(s.next()[0], "start")
        expect(s.next(), ("alive", {}))
        f.touch("go")
        expect([e[0] for e in s.rest() if e[0] != "alive"], ["result"])
        s = f.begin("POST", "/execute", "begun\nwait " + f.path("go2"),
                    {"Accept": "text/event-stream"})
        data = b""
        while b"\n: " not in data:
            data += s.recv(65536)
        f.touch("go2")


def calls_are_forgotten():
    with front(view([client("ann"), client("bob"), client("root", scopes=["admin"])], calls_kept=10)) as f:
        mine = f.stream(["begun"], key="bob").rest()[0][1]["id"]
        first = f.stream(["begun"]).rest()[0][1]["id"]
        for _ in range(30):
            f.run(["begun"])
        expect(f.metric("belljar_calls_kept"), 10.0)
        problem(f.ask("GET", "/v1/calls/" + first), 404, "not_found")
        # Whoever makes many calls forgets his own.
        expect(f.ask("GET", "/v1/calls/" + mine, key="bob").status, 200)
    with front(view(calls_kept_ms=1)) as f:
        call = f.stream(["begun"]).rest()[0][1]["id"]
        wait_until(lambda: f.ask("GET", "/v1/calls/" + call).status == 404, "it to be forgotten")


def large_answers_reach_their_client_but_are_not_kept():
    with front() as f:
        s = f.stream(["begun", "big 12000000"])
        events = s.rest()
        expect(len(events[-1][1]["big"]), 12000000)
        r = f.ask("GET", "/v1/calls/" + events[0][1]["id"])
        expect((r.json["answer_dropped"], "answer" in r.json), (True, False))
        expect(f.metric("belljar_calls_kept_bytes") < 1 << 20, True)


def draining_ends_what_is_late():
    with front() as f:
        s = f.stream(["begun", "wait " + f.path("never")])
        s.next()
        keep = f.connect()
        expect(f.run(["echo"], connection=keep).status, 200)
        f.tell("drain 2000")
        expect(s.rest()[-1][1]["cancelled"], True)
        expect(f.wait_line("asked 3"), "asked 3 0")


def draining_waits_for_what_runs():
    with front() as f:
        s = f.stream(["begun", "wait " + f.path("go")])
        s.next()
        f.tell("drain 60000")
        time.sleep(0.05)
        f.touch("go")
        expect(s.rest()[-1][1]["cancelled"], False)
        expect(f.wait_line("asked 3"), "asked 3 0")


main([
    a_call_comes_as_events,
    events_come_while_it_runs,
    characters_are_not_cut_in_two,
    bytes_that_are_no_text_come_as_base64,
    a_refusal_before_it_begins_is_no_stream,
    a_call_can_be_looked_at_again,
    others_do_not_see_a_call,
    bad_parameters_are_named,
    a_long_poll_waits_for_news,
    delete_cancels,
    whoever_goes_away_cancels,
    unless_it_was_detached,
    a_slow_reader_costs_nothing_and_hears_of_the_gap,
    a_stream_that_is_quiet_shows_that_it_lives,
    calls_are_forgotten,
    large_answers_reach_their_client_but_are_not_kept,
    draining_ends_what_is_late,
    draining_waits_for_what_runs,
])
