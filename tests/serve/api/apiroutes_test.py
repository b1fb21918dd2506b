# SPDX-License-Identifier: Apache-2.0
"""apiroutes_test.py - every path of the API, its good way and its bad ones, as rows."""
import http.client
import json
import socket

from fronting import UP, client, expect, front, main, problem, view, wait_until

# Message kinds of keeptalk.h, as the fake keeper echoes them.
(CALL, CHECK, SCREEN, TOOLS, INPUT, SIGNAL, CANCEL, OPEN, EXEC, CODE, PUT, GET, STAT, LIST, REMOVE,
 PROCESSES, DESCRIBE, EXTEND, CLOSE) = range(1, 20)


def one_shot_requests_become_messages():
    rows = [
        ("POST", "/execute", CALL, 0, ""),
        ("POST", "/v1/execute", CALL, 0, ""),
        ("POST", "/v1/tools/grep/call", CALL, 1, "grep"),
        ("POST", "/v1/policy/check", CHECK, 0, ""),
        ("POST", "/v1/screen", SCREEN, 0, ""),
        ("GET", "/v1/tools", TOOLS, 0, ""),
    ]
    with front() as f:
        for method, path, kind, shape, tool in rows:
            r = f.ask(method, path, "echo" if method == "POST" else None,
                      headers={"X-Request-Id": "my.Id-1_x"})
            expect(r.status, 200, path)
            expect((r.json["kind"], r.json["shape"], r.json["tool"]), (kind, shape, tool), path)
            expect((r.json["client"], r.json["request_id"]), ("ann", "my.Id-1_x"))
            expect(r.getheader("X-Request-Id"), "my.Id-1_x")
            expect(r.json["has_uid"], False)


def every_answer_has_its_headers():
    with front() as f:
        for r in (f.ask("GET", "/healthz", key=None), f.ask("GET", "/nowhere"),
                  f.run(["echo"]), f.ask("GET", "/metrics", key="eve")):
            expect(r.getheader("X-Content-Type-Options"), "nosniff")
            expect(r.getheader("Cache-Control"), "no-store")
            expect(r.getheader("Content-Security-Policy").startswith("default-src 'none'"), True)
            expect(r.getheader("X-Request-Id").startswith("req-"), True)
            for name, _ in r.getheaders():
                expect(name.lower().startswith("access-control"), False, name)


def an_odd_request_id_is_replaced():
    with front() as f:
        for odd in ("a b", "x" * 65, "a\xe9", "a;b", ""):
            r = f.run(["echo"], headers={"X-Request-Id": odd})
            expect(r.getheader("X-Request-Id").startswith("req-"), True, repr(odd))


def paths_and_methods_that_do_not_exist():
    rows = [
        ("GET", "/", 404, None), ("GET", "/v1", 404, None), ("POST", "/executes", 404, None),
        ("GET", "/v1/tools/x/call/y", 404, None), ("GET", "/execute/", 404, None),
        ("GET", "/execute", 405, "POST, OPTIONS"),
        ("DELETE", "/v1/sessions", 405, "GET, HEAD, POST, OPTIONS"),
        ("PUT", "/v1/calls/bj-1", 405, "GET, HEAD, DELETE, OPTIONS"),
        ("POST", "/healthz", 405, "GET, HEAD, OPTIONS"),
    ]
    with front() as f:
        for method, path, status, allow in rows:
            r = f.ask(method, path, "{}" if method == "POST" else None)
            problem(r, status, "not_found" if status == 404 else "method_not_allowed")
            expect(r.getheader("Allow"), allow, path)
        r = f.ask("OPTIONS", "/v1/sessions")
        expect((r.status, r.getheader("Allow")), (204, "GET, HEAD, POST, OPTIONS"))
        r = f.ask("HEAD", "/healthz", key=None)
        expect((r.status, r.data, r.getheader("Content-Length")), (200, b"", "11"))


def who_may_do_what():
    rows = [
        # scope needed: path, and who is let in
        ("POST", "/execute", {"ann", "root"}),
        ("POST", "/v1/tools/x/call", {"ann", "root"}),
        ("POST", "/v1/sessions/bjs-1/exec", {"ann", "root"}),
        ("DELETE", "/v1/calls/bj-1", {"ann", "root"}),
        ("GET", "/v1/tools", {"ann", "eve", "root"}),
        ("GET", "/v1/calls/bj-1", {"ann", "eve", "root"}),
        ("GET", "/v1/sessions", {"ann", "eve", "root"}),
        ("GET", "/metrics", {"ann", "eve", "root"}),
        ("GET", "/openapi.json", {"ann", "eve", "root"}),
        ("GET", "/v1/audit", {"log", "root"}),
        ("POST", "/v1/audit/verify", {"log", "root"}),
        ("POST", "/v1/admin/reload", {"root"}),
        ("GET", "/version", {"ann", "eve", "log", "root"}),
    ]
    with front(reload_ms=1) as f:  # nobody reads a policy here
        for method, path, who in rows:
            for key in ("ann", "eve", "log", "root"):
                r = f.ask(method, path, "echo" if method == "POST" else None, key=key)
                expect(r.status != 403, key in who, "%s %s by %s" % (method, path, key))
                if key not in who:
                    problem(r, 403, "forbidden")
            r = f.ask(method, path, "echo" if method == "POST" else None, key=None)
            problem(r, 401, "unauthorized")
            expect(r.getheader("WWW-Authenticate").startswith("Bearer"), True)


def wrong_keys_are_wrong_everywhere():
    clients = [client("ann"), client("any", uids="any", key_sha256=[])]
    with front(view(clients, loopback_without_key=True)) as f:
        expect(f.run(["echo"], key=None).json["client"], "any")
        expect(f.run(["echo"]).json["client"], "ann")
        expect(f.run(["echo"], key=None, headers={"X-API-Key": "key-ann"}).json["client"], "ann")
        for headers in ({"Authorization": "Bearer nope"}, {"Authorization": "Bearer "},
                        {"Authorization": "Basic key-ann"}, {"X-API-Key": "nope"},
                        {"Authorization": "Bearer " + "x" * 600},
                        {"Authorization": "Bearer key-ann", "X-API-Key": "key-ann"}):
            r = f.run(["echo"], key=None, headers=headers)
            problem(r, 401, "unauthorized")
        # Somebody's proxy on this host is not everybody on this host.
        for name in ("X-Forwarded-For", "Forwarded"):
            problem(f.run(["echo"], key=None, headers={name: "1.2.3.4"}), 401, "unauthorized")
    with front(view(clients)) as f:
        problem(f.run(["echo"], key=None), 401, "unauthorized")


def guessing_keys_is_slow():
    with front() as f:
        expect(f.run(["echo"]).status, 200)
        statuses = [f.run(["echo"], key="guess%d" % i).status for i in range(40)]
        expect(set(statuses), {401, 429})
        expect(statuses[:20], [401] * 20)
        expect(statuses.count(429) > 10, True)
        # A key that was right before is not locked out; one that was not is not looked at.
        expect(f.run(["echo"]).status, 200)
        problem(f.run(["echo"], key="bob"), 429, "too_many_requests")


def a_unix_peer_is_known_by_its_uid():
    import os
    clients = [client("ann"), client("me", uids=[os.getuid()], key_sha256=[])]
    with front(view(clients), unix=True) as f:
        c = __import__("http.client").client.HTTPConnection("localhost")
        c.sock = socket.socket(socket.AF_UNIX)
        c.sock.connect(f.unix_path)
        r = f.run(["echo"], key=None, connection=c)
        expect((r.json["client"], r.json["has_uid"], r.json["uid"]), ("me", True, os.getuid()))
        problem(f.run(["echo"], key=None), 401, "unauthorized")


def foreign_hosts_and_origins_are_refused():
    with front() as f:
        for host in ("evil.example", "127.0.0.1.evil.example", "box.example.evil"):
            problem(f.run(["echo"], headers={"Host": host}), 421, "misdirected")
        for host in ("localhost:%d" % f.port, "127.0.0.1", "box.example"):
            expect(f.run(["echo"], headers={"Host": host}).status, 200, host)
        problem(f.run(["echo"], headers={"Origin": "https://evil.example"}), 403, "forbidden")
        expect(f.run(["echo"], headers={"Origin": "https://app.example"}).status, 200)


def bodies_must_be_json_and_fit():
    with front(view(body_bytes=2000)) as f:
        for kind in (None, "text/plain", "application/x-www-form-urlencoded",
                     "application/json; charset=latin1", "application/jsonx"):
            r = f.ask("POST", "/execute", "echo", headers={"Content-Type": kind})
            problem(r, 415, "unsupported_media_type")
        for kind in ("application/json", "Application/JSON; charset=UTF-8"):
            expect(f.ask("POST", "/execute", "echo", headers={"Content-Type": kind}).status, 200)
        r = f.ask("POST", "/execute", "echo", headers={"Content-Encoding": "gzip"})
        problem(r, 415, "unsupported_media_type")
        r = f.ask("POST", "/execute", "echo", headers={"Content-Encoding": "identity"})
        expect(r.status, 200)
        expect(f.ask("POST", "/execute", "echo" + " " * 1990).json["body_len"], 1994)
        problem(f.ask("POST", "/execute", "x" * 2001), 413, "too_large")
        expect(f.ask("GET", "/v1/tools", "x" * 5000).status, 413)


def forms_that_nobody_has():
    with front() as f:
        for accept, status in (("text/html", 406), ("application/json;q=0", 406),
                               ("*/*", 200), ("text/html, */*;q=0.1", 200)):
            expect(f.run(["echo"], headers={"Accept": accept}).status, status, accept)


def answers_pass_as_they_are():
    with front() as f:
        r = f.run(['answer 200 {"a":1}'])
        expect((r.status, r.json), (200, {"a": 1}))
        r = f.run(["retry 7", 'problem 429 {"code":"x"}'])
        expect((r.status, r.json, r.getheader("Retry-After")), (429, {"code": "x"}, "7"))
        expect(r.getheader("Content-Type"), "application/problem+json")
        r = f.run(["begun", "big 3000000"])
        expect(len(r.json["big"]), 3000000)
        r = f.ask("POST", "/execute", "echo\n" + "y" * 3000000)
        expect(r.json["body_len"], 3000005)


def a_keeper_that_dies_leaves_an_unknown():
    with front() as f:
        for lines, id_known in ((["die"], False), (["begun", "out half", "die"], True),
                                (["begun", "garbage", "sleep 60000"], True)):
            r = f.run(lines)
            expect((r.status, r.json["success"], r.json["status"]), (200, False, "unknown"))
            expect(r.json["id"] is not None, id_known)
            expect(r.json["why"]["layer"], "kernel")
            r = f.run(lines, path="/v1/tools/t/call")
            expect((r.status, r.json["status"], "success" in r.json), (200, "unknown", False))
        problem(f.ask("POST", "/v1/screen", "die"), 503, "unavailable")
        expect(f.run(["echo"]).status, 200)
        expect(f.metric("belljar_keeper_deaths_total"), 7.0)
        expect(f.metric('belljar_runs_total{tool="other",verdict="unknown",backend="native"}') > 0, True)


def the_log_is_asked_through_its_reader():
    with front() as f:
        problem(f.ask("GET", "/v1/audit", key="log"), 503, "unavailable")
        f.tell("reader on")
        wait_until(lambda: f.ask("GET", "/v1/audit", key="log").status == 200, "the reader")
        rows = [
            ("GET", "/v1/audit?tool=t&limit=5", {"kind": 1, "tool": "t", "limit": "5"}),
            ("GET", "/v1/audit/bj-12", {"kind": 2, "id": "bj-12"}),
            ("GET", "/v1/audit/7/record", {"kind": 3, "index": "7"}),
            ("GET", "/v1/audit/7/proof", {"kind": 4, "index": "7"}),
            ("POST", "/v1/audit/verify", {"kind": 5}),
            ("GET", "/v1/audit/checkpoint", {"kind": 6}),
        ]
        for method, path, want in rows:
            r = f.ask(method, path, key="log")
            expect(r.status, 200, path)
            expect({k: r.json[k] for k in want}, want, path)
        problem(f.ask("GET", "/v1/audit?tool=" + "x" * 300, key="log"), 400, "bad_request")
        problem(f.ask("GET", "/v1/audit/die", key="log"), 503, "unavailable")
        problem(f.ask("GET", "/v1/audit", key="log"), 503, "unavailable")
        f.tell("reader on")
        wait_until(lambda: f.ask("GET", "/v1/audit", key="log").status == 200, "a new reader")


def a_parameter_that_nobody_knows_is_refused():
    with front() as f:
        for path, key in (("/v1/calls?bogus=1", "ann"), ("/v1/audit?clinet=bob", "log"),
                          ("/version?x", "ann")):
            r = f.ask("GET", path, key=key)
            problem(r, 400, "bad_request")
            expect(path.split("?")[1].split("=")[0] in r.json["detail"], True)
        expect(f.ask("GET", "/v1/calls?").status, 200)


def through_a_proxy_nobody_is_local():
    with front(view([client("here", uids="any")], loopback_without_key=True)) as f:
        expect(f.ask("GET", "/version", key=None).status, 200)
        for name in ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
                     "X-Real-IP", "Via", "CF-Connecting-IP"):
            problem(f.ask("GET", "/version", key=None, headers={name: "x"}), 401, "unauthorized")


def health_and_readiness():
    with front() as f:
        expect(f.ask("GET", "/healthz", key=None).json, {"ok": True})
        wait_until(lambda: f.ask("GET", "/readyz", key=None).json["checks"]["keepers"]["ok"],
                   "a keeper")
        for bits, missing in ((UP, set()), (UP & ~8, {"self_test"}), (UP & ~1, {"warden"}),
                              (UP & ~2, {"audit_log"}), (0, {"self_test", "warden", "audit_log"})):
            f.tell("state %d" % bits)
            r = f.ask("GET", "/readyz", key=None)
            expect(r.status, 503 if missing else 200)
            expect({k for k, v in r.json["checks"].items() if not v["ok"]}, missing)
        # A call that could not be written down says more than a process that is there.
        f.tell("state %d" % UP)
        f.run(["rule audit", "begun"])
        r = f.ask("GET", "/readyz", key=None)
        expect((r.status, r.json["checks"]["audit_log"]["ok"]), (503, False))
        wait_until(lambda: f.ask("GET", "/readyz", key=None).status == 200, "the log to be tried again")
        r = f.ask("GET", "/version")
        expect((r.json["name"], r.json["policy_generation"]), ("belljar", 1))


def the_description_is_whole():
    with front() as f:
        doc = f.ask("GET", "/openapi.json").json
        expect(doc["openapi"], "3.1.0")
        names = [op["operationId"] for item in doc["paths"].values() for op in item.values()]
        expect(len(names), len(set(names)))
        for path in ("/execute", "/v1/tools/{name}/call", "/v1/sessions/{session}/files/{path}",
                     "/v1/calls/{id}/output", "/v1/audit/{index}/proof", "/metrics"):
            expect(path in doc["paths"], True, path)
        text = json.dumps(doc)
        refs = {part.split('"')[0] for part in text.split('"#/components/')[1:]}
        for ref in refs:
            where = doc["components"]
            for step in ref.split("/"):
                expect(step in where, True, ref)
                where = where[step]
        for path, item in doc["paths"].items():
            for op in item.values():
                have = {p["name"] for p in op["parameters"] if p["in"] == "path"}
                want = {s[1:-1] for s in path.split("/") if s.startswith("{")}
                expect(have, want, path)


def answer_of(s):
    r = http.client.HTTPResponse(s)
    r.begin()
    data = json.loads(r.read())
    s.close()
    return r.status, data


def a_reload_is_answered_when_it_is_done():
    with front() as f:
        asked = [f.begin("POST", "/v1/admin/reload", key="root") for _ in range(2)]
        expect(f.wait_line("asked 2 1"), "asked 2 1")
        expect(f.wait_line("asked 2 2"), "asked 2 2")
        # Whoever asked while that was read waits for the next.
        f.set_view_file({**view(), "policy_sha256": "cd" * 32})
        f.tell("view %s 2" % f.view_path)
        f.tell("reloaded - 1")
        expect(answer_of(asked[0]), (200, {"policy_sha256": "cd" * 32, "policy_generation": 2}))
        f.tell("reload_failed policy.yaml:3:5:wrong 2")
        status, data = answer_of(asked[1])
        expect((status, data["code"], data["detail"]),
               (422, "unprocessable", "policy.yaml:3:5:wrong"))
        third = f.begin("POST", "/v1/admin/reload", key="root")
        f.wait_line("asked 2 3")
        f.tell("reloaded serve.listen_stays 3")
        expect(answer_of(third)[1]["note"], "serve.listen_stays")
        # One who has gone is not missed.
        f.begin("POST", "/v1/admin/reload", key="root").close()
        f.wait_line("asked 2 4")
        f.tell("reload_failed - 4")
        last = f.begin("POST", "/v1/admin/reload", key="root")
        f.wait_line("asked 2 5")
        f.tell("drain 60000")
        status, data = answer_of(last)
        expect((status, data["code"]), (503, "draining"))


def a_reload_that_takes_too_long_is_said_to():
    with front(reload_ms=50) as f:
        r = f.ask("POST", "/v1/admin/reload", key="root")
        problem(r, 504, "timeout")
        expect("policy of before" in r.json["detail"], True, r.json)
        expect(f.metric('belljar_http_requests_total{method="POST",route="/v1/admin/reload",status="504"}'), 1)
        f.tell("reloaded - 1")  # nobody waits for it any more
        expect(f.run(["echo"]).status, 200)


def a_bad_view_changes_nothing():
    with front() as f:
        first = f.run(["echo"]).json["pid"]
        f.set_view_file({"policy_sha256": "x"})
        f.tell("view %s 2" % f.view_path)
        expect(f.run(["echo"]).status, 200)
        f.set_view_file(view([client("new")]))
        f.tell("view %s 3" % f.view_path)
        problem(f.run(["echo"]), 401, "unauthorized")
        r = f.run(["echo"], key="new")
        expect((r.status, r.json["pid"] != first), (200, True))


def how_programs_came_to_be_is_counted():
    with front() as f:
        f.run(["start 0 0 0 0 0", "echo"])
        f.run(["start 0 1 0 1 0", "echo"])
        f.run(["start 3 1 1500000 0 2", "echo"])
        f.run(["start 3 1 2500000 0 1", "echo"])
        f.run(["start 2 1 90000000 1 1", "echo"])
        f.run(["start 1 0 0 0 0", "echo"])
        f.run(["start 9 0 0 0 0", "echo"])  # no such way: not a message at all
        f.run(["echo"])  # nothing was started for it
        text = f.ask("GET", "/metrics", key="eve").data.decode()
        for line in ('belljar_starts_total{how="cold"} 2', 'belljar_starts_total{how="sealed"} 1',
                     'belljar_starts_total{how="forked"} 1',
                     'belljar_starts_total{how="waiting"} 2',
                     "belljar_warm_hits_total 2", "belljar_warm_misses_total 2",
                     "belljar_warm_refills_total 4", "belljar_warm_interpreters_started_total 2",
                     "belljar_warm_interpreter_age_seconds_count 3",
                     'belljar_warm_interpreter_age_seconds_bucket{le="2"} 1',
                     "belljar_warm_interpreter_age_seconds_sum 94.000000"):
            expect(line in text, True, line)


def metrics_are_fit_for_prometheus():
    import shutil
    import subprocess
    with front() as f:
        f.run(["rule tools.some.thing", "echo"])
        f.run(["rule tools", "echo"])
        f.run(["rule tools.execute_code.args.sesame", "echo"])
        f.run(["rule clients.sesame", "echo"])
        f.run(["layer 3", "rule python.eval", "echo"])
        f.run(['rule Odd"', "echo"])
        f.ask("GET", "/no\"where")
        text = f.ask("GET", "/metrics", key="eve").data.decode()
        for line in ('belljar_refusals_total{rule="tools"} 3', 'belljar_refusals_total{rule="other"} 1',
                     'belljar_runs_total{tool="execute_code",verdict="success",backend="native"} 6',
                     'belljar_http_requests_total{method="POST",route="/execute",status="200"} 6',
                     'belljar_run_duration_seconds_count 6', "belljar_keepers 2",
                     'decisions_total{decision="allow",rule="tools.execute_code.args"} 1',
                     'decisions_total{decision="allow",rule="tools"} 2',
                     'decisions_total{decision="allow",rule="clients"} 1',
                     'decisions_total{decision="allow",rule="python.eval"} 1',
                     'decisions_total{decision="allow",rule="other"} 1'):
            expect(line in text, True, line)
        expect("sesame" in text, False)
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                                  capture_output=True, check=False)
            expect((done.returncode, done.stdout + done.stderr), (0, ""))


main([
    one_shot_requests_become_messages,
    every_answer_has_its_headers,
    an_odd_request_id_is_replaced,
    paths_and_methods_that_do_not_exist,
    who_may_do_what,
    wrong_keys_are_wrong_everywhere,
    guessing_keys_is_slow,
    a_unix_peer_is_known_by_its_uid,
    foreign_hosts_and_origins_are_refused,
    bodies_must_be_json_and_fit,
    forms_that_nobody_has,
    answers_pass_as_they_are,
    a_keeper_that_dies_leaves_an_unknown,
    the_log_is_asked_through_its_reader,
    a_parameter_that_nobody_knows_is_refused,
    through_a_proxy_nobody_is_local,
    health_and_readiness,
    the_description_is_whole,
    a_reload_is_answered_when_it_is_done,
    a_reload_that_takes_too_long_is_said_to,
    a_bad_view_changes_nothing,
    how_programs_came_to_be_is_counted,
    metrics_are_fit_for_prometheus,
])
