# SPDX-License-Identifier: Apache-2.0
"""apisession_test.py - sessions: whose they are, what happens in them, how they end; files."""
import os

from fronting import bounded, client, expect, front, main, problem, view, wait_until


def opened(f, key="ann", lines=("echo",)):
    r = f.ask("POST", "/v1/sessions", "\n".join(lines), key=key)
    expect(r.status, 201)
    expect(r.getheader("Location"), "/v1/sessions/" + r.json["session"])
    expect(r.json["session"].startswith("bjs-"), True)
    return "/v1/sessions/" + r.json["session"]


def requests_reach_the_session_s_keeper():
    with front() as f:
        s, t = opened(f), opened(f)
        rows = [
            ("GET", "", 17), ("GET", "/processes", 16), ("POST", "/extend", 18), ("POST", "/exec", 9),
            ("POST", "/code", 10), ("GET", "/files", 14), ("GET", "/files/a/b?list=1", 14),
            ("GET", "/files/a/b?stat=1", 13), ("DELETE", "/files/a/b", 15),
        ]
        pids = set()
        for method, path, kind in rows:
            r = f.ask(method, s + path, "echo" if method == "POST" else None)
            expect((r.status, r.json["kind"]), (200, kind), path)
            pids.add(r.json["pid"])
            if "a/b" in path:
                expect(r.json["path"], "a/b")
        expect(len(pids), 1)
        expect(f.ask("GET", t).json["pid"] in pids, False)
        expect(f.ask("GET", s + "/files?path=x/y").json["path"], "x/y")
        names = {x["id"] for x in f.ask("GET", "/v1/sessions").json["sessions"]}
        expect(names, {s.split("/")[-1], t.split("/")[-1]})


def others_do_not_see_a_session():
    with front() as f:
        s = opened(f)
        for method, path in (("GET", ""), ("POST", "/exec"), ("DELETE", ""), ("GET", "/files/x")):
            r = f.ask(method, s + path, "echo" if method == "POST" else None, key="bob")
            problem(r, 404, "not_found")
        expect(f.ask("GET", "/v1/sessions", key="bob").json["sessions"], [])
        expect(f.ask("GET", s, key="root").status, 200)
        problem(f.ask("GET", "/v1/sessions/bjs-none"), 404, "not_found")


def a_session_that_was_refused_is_none():
    with front() as f:
        r = f.ask("POST", "/v1/sessions", 'problem 422 {"code":"x"}')
        expect(r.status, 422)
        expect(f.ask("POST", "/v1/sessions", "die").status, 503)
        f.wait_metric("belljar_sessions", 0)
        opened(f)


def there_is_an_end_to_sessions():
    with front(view([client("ann"), client("bob"), client("root", scopes=["admin"])])) as f:
        mine = [opened(f) for _ in range(3)]
        problem(f.ask("POST", "/v1/sessions", "echo"), 429, "too_many_requests")
        opened(f, key="bob")
        problem(f.ask("POST", "/v1/sessions", "echo", key="bob"), 429, "too_many_requests")
        expect(f.ask("DELETE", mine[0]).status, 200)
        problem(f.ask("GET", mine[0]), 410, "gone")
        opened(f, key="bob")


def sessions_end_in_many_ways():
    with front() as f:
        s = opened(f)
        expect(f.ask("POST", s + "/kill").status, 200)
        problem(f.ask("GET", s), 410, "gone")
        s = opened(f)
        f.ask("POST", s + "/exec", "over it was idle for 10 minutes")
        r = f.ask("GET", s)
        problem(r, 410, "gone")
        expect("idle for 10 minutes" in r.json["detail"], True)
        s = opened(f)
        r = f.ask("POST", s + "/exec", "begun\ndie")
        expect((r.status, r.json["status"]), (200, "unknown"))
        problem(f.ask("GET", s), 410, "gone")
        expect(f.metric("belljar_sessions"), 0.0)


def programs_have_input_and_signals():
    with front() as f:
        s = opened(f)
        run = f.stream(["begun", "out hi", "hold"], path=s + "/exec")
        x = run.next()[1]["id"]
        expect(run.next(), ("stdout", {"data": "hi", "offset": 0}))
        # The session answers others meanwhile.
        expect(f.ask("GET", s + "/processes").status, 200)
        r = f.ask("GET", "%s/execs/%s" % (s, x))
        expect((r.json["state"], r.json["session"]), ("running", s.split("/")[-1]))
        r = f.ask("POST", "%s/execs/%s/stdin" % (s, x), b"\xff\x00", headers={"Content-Type": None})
        expect(r.status, 200)
        r = f.ask("POST", "%s/execs/%s/stdin?eof=1" % (s, x), b"", headers={"Content-Type": "text/x"})
        expect(r.json["number"], 1)
        expect(run.rest()[-1], ("result", {"success": True, "ended": "eof"}))
        run = f.stream(["begun", "hold"], path=s + "/exec")
        x2 = run.next()[1]["id"]
        expect(f.ask("POST", "%s/execs/%s/signal" % (s, x2), '{"signal":"TERM"}').status, 200)
        expect(run.rest()[-1][1]["ended"], "signal")
        problem(f.ask("POST", "%s/execs/%s/signal" % (s, x2), "{}"), 409, "conflict")
        problem(f.ask("POST", "%s/execs/bj-none/signal" % s, "{}"), 404, "not_found")
        other = opened(f)
        problem(f.ask("GET", "%s/execs/%s" % (other, x)), 404, "not_found")
        problem(f.ask("POST", "%s/execs/%s/stdin" % (other, x), "x"), 404, "not_found")
        expect(f.ask("GET", "/v1/calls/" + x).json["state"], "finished")


def closing_ends_what_runs_and_cancelling_only_that():
    with front() as f:
        s = opened(f)
        a = f.stream(["begun", "hold"], path=s + "/exec")
        b = f.stream(["begun", "hold"], path=s + "/code")
        x = a.next()[1]["id"]
        b.next()
        expect(f.ask("DELETE", "/v1/calls/" + x).status, 202)
        expect(a.rest()[-1][1]["ended"], "cancelled")
        c = f.stream(["begun", "hold"], path=s + "/exec")
        c.next()
        c.close()
        f.wait_metric("belljar_calls_running", 1)
        expect(f.ask("DELETE", s).status, 200)
        expect(b.rest()[-1][1]["ended"], "session")


def files_go_in_and_come_out():
    with front() as f:
        s = opened(f)
        data = os.urandom(100000)
        r = f.ask("PUT", s + "/files/dir/my%20file.bin?executable=1", data)
        expect((r.status, r.json["path"], r.json["number"]), (200, "dir/my file.bin", 0o111))
        where = s + "/files/dir/my%20file.bin"
        r = f.ask("GET", where)
        expect((r.status, r.data == data), (200, True))
        expect(r.getheader("Content-Type"), "application/octet-stream")
        expect(r.getheader("Content-Disposition"), None)
        expect(r.getheader("X-Content-Type-Options"), "nosniff")
        expect(f.ask("GET", s + "/files/none").status, 404)
        for odd in ("a%2Fb", "a%252Fb", "x" * 1024):
            problem(f.ask("GET", s + "/files/" + odd), 400, "bad_request")
        for odd in ("../x", "a/../b", "a//b", "./a"):
            expect(f.ask("GET", s + "/files/" + odd).status, 400, odd)


def ranges_of_files():
    with front() as f:
        s = opened(f)
        data = bytes(range(256)) * 10
        f.ask("PUT", s + "/files/x", data)
        rows = [
            ("bytes=0-9", 206, data[:10], "bytes 0-9/2560"),
            ("bytes=2550-", 206, data[2550:], "bytes 2550-2559/2560"),
            ("bytes=2550-9999", 206, data[2550:], "bytes 2550-2559/2560"),
            ("bytes=-5", 206, data[-5:], "bytes 2555-2559/2560"),
            ("bytes=-9999", 206, data, "bytes 0-2559/2560"),
            ("bytes=2560-", 416, None, "bytes */2560"),
            ("bytes=9999-", 416, None, "bytes */2560"),
            # What we do not understand is ignored, as RFC 9110 says.
            ("bytes=5-2", 200, data, None), ("bytes=a-b", 200, data, None),
            ("bytes=0-1,5-6", 200, data, None), ("lines=0-1", 200, data, None),
            ("bytes=-", 200, data, None), ("bytes=-0", 200, data, None),
        ]
        for header, status, want, content in rows:
            r = f.ask("GET", s + "/files/x", headers={"Range": header})
            expect(r.status, status, header)
            expect(r.getheader("Content-Range"), content, header)
            if want is not None:
                expect(r.data == want, True, header)
        f.ask("PUT", s + "/files/empty", b"")
        expect(f.ask("GET", s + "/files/empty").data, b"")
        expect(f.ask("GET", s + "/files/empty", headers={"Range": "bytes=0-"}).status, 416)
        expect(f.ask("GET", s + "/files/empty", headers={"Range": "bytes=-1"}).status, 416)


def large_files_come_in_pieces():
    with front(view(body_bytes=32 << 20)) as f:
        s = opened(f)
        data = os.urandom(1 << 20) * 20
        expect(f.ask("PUT", s + "/files/big", data).status, 200)
        r = f.ask("GET", s + "/files/big")
        expect((r.status, r.data == data), (200, True))
        r = f.ask("GET", s + "/files/big", headers={"Range": "bytes=1000000-15000000"})
        expect((r.status, r.data == data[1000000:15000001]), (206, True))
        r = f.ask("GET", s + "/files/big", headers={"Range": "bytes=-3000000"})
        expect((r.status, r.data == data[-3000000:]), (206, True))
        # Somebody who takes nothing of it costs one piece.
        before = f.resident()
        slow = [f.begin("GET", s + "/files/big") for _ in range(8)]
        for one in slow:
            one.recv(1)
        wait_until(lambda: f.ask("GET", s).status == 200, "the session")
        bounded(f, before, 48 << 20, "memory for slow readers of files")
        for one in slow:
            one.close()
        expect(f.ask("GET", s + "/files/big").status, 200)


def whoever_opens_and_leaves_leaves_nothing():
    with front() as f:
        s = f.begin("POST", "/v1/sessions", "wait " + f.path("go"))
        f.wait_metric("belljar_sessions", 1)
        s.close()
        f.touch("go")
        f.wait_metric("belljar_sessions", 0)


def a_reload_leaves_sessions_alone():
    with front() as f:
        s = opened(f)
        pid = f.ask("GET", s).json["pid"]
        f.tell("view %s 2" % f.view_path)
        expect(f.ask("GET", s).json["pid"], pid)


def draining_ends_sessions():
    with front() as f:
        opened(f)
        s = opened(f)
        run = f.stream(["begun", "hold"], path=s + "/exec")
        run.next()
        f.tell("drain 1000")
        run.rest()
        expect(f.wait_line("asked 3"), "asked 3 0")


def pipes_of(f):
    names = []
    for fd in os.listdir("/proc/%d/fd" % f.process.pid):
        try:
            names.append(os.readlink("/proc/%d/fd/%s" % (f.process.pid, fd)))
        except FileNotFoundError:
            pass
    return len([n for n in names if n.startswith("pipe:")])


def a_copy_is_opened_by_another_keeper():
    with front() as f:
        s = opened(f, lines=("fork stream echo", "echo"))
        pipes = pipes_of(f)
        r = f.ask("POST", s + "/fork")
        name = s.split("/")[-1]
        expect((r.status, r.json["kind"], r.json["path"]), (201, 8, name))
        expect((r.json["streamed"], r.json["target"], r.json["tool"], r.json["number"]), ("copied", 7, "under", 1))
        copy = "/v1/sessions/" + r.json["session"]
        expect((r.getheader("Location"), copy != s), (copy, True))
        expect(f.ask("GET", copy).json["pid"] != f.ask("GET", s).json["pid"], True)
        expect(f.ask("DELETE", s).status, 200)
        expect(f.ask("GET", copy).status, 200)
        problem(f.ask("POST", copy + "/fork", key="bob"), 404, "not_found")
        # An administrator sees it, and may not take its memory for a session of his own.
        expect(f.ask("GET", copy, key="root").status, 200)
        problem(f.ask("POST", copy + "/fork", key="root"), 403, "forbidden")
        problem(f.ask("POST", "/v1/sessions/bjs-none/fork"), 404, "not_found")
        expect(pipes_of(f), pipes)


def what_cannot_be_copied_leaves_nothing():
    with front() as f:
        pipes = pipes_of(f)
        s = opened(f, lines=('fork problem 409 {"code":"conflict"}', "echo"))
        r = f.ask("POST", s + "/fork")
        expect((r.status, r.json["code"]), (409, "conflict"))
        expect(f.ask("DELETE", s).status, 200)
        # The other keeper refuses, or dies.
        s = opened(f, lines=('fork stream problem 409 {"code":"conflict"}', "echo"))
        r = f.ask("POST", s + "/fork")
        expect((r.status, r.json["code"]), (409, "conflict"))
        expect(f.ask("DELETE", s).status, 200)
        t = opened(f, lines=("fork stream die", "echo"))
        expect(f.ask("POST", t + "/fork").status, 503)
        expect(len(f.ask("GET", "/v1/sessions").json["sessions"]), 1)
        expect(f.ask("GET", t).status, 200)
        # The first one dies.
        u = opened(f, lines=("fork die", "echo"))
        problem(f.ask("POST", u + "/fork"), 410, "gone")
        expect(len(f.ask("GET", "/v1/sessions").json["sessions"]), 1)
        expect(pipes_of(f), pipes)


def copies_are_counted_like_sessions():
    with front(view([client("ann"), client("bob"), client("root", scopes=["admin"])])) as f:
        s = opened(f, lines=("fork stream fork stream echo", "echo"))
        for _ in range(2):
            expect(f.ask("POST", s + "/fork").status, 201)
        problem(f.ask("POST", s + "/fork"), 429, "too_many_requests")


main([
    a_copy_is_opened_by_another_keeper,
    what_cannot_be_copied_leaves_nothing,
    copies_are_counted_like_sessions,
    requests_reach_the_session_s_keeper,
    others_do_not_see_a_session,
    a_session_that_was_refused_is_none,
    there_is_an_end_to_sessions,
    sessions_end_in_many_ways,
    programs_have_input_and_signals,
    closing_ends_what_runs_and_cancelling_only_that,
    files_go_in_and_come_out,
    ranges_of_files,
    large_files_come_in_pieces,
    whoever_opens_and_leaves_leaves_nothing,
    a_reload_leaves_sessions_alone,
    draining_ends_sessions,
])
