# SPDX-License-Identifier: Apache-2.0
"""apionce_test.py - Idempotency-Key: nothing runs twice, not even after a restart."""
import os
import shutil
import tempfile

from fronting import Front, expect, front, main, problem, view, wait_until


def key(text):
    return {"Idempotency-Key": text}


def the_same_key_and_body_run_once():
    with front() as f:
        first = f.run(["begun", "echo"], headers=key("k1"))
        expect(first.getheader("Idempotency-Replayed"), None)
        again = f.run(["begun", "echo"], headers=key("k1"))
        expect((again.status, again.data), (200, first.data))
        expect(again.getheader("Idempotency-Replayed"), "true")
        expect(again.getheader("X-Request-Id") != first.getheader("X-Request-Id"), True)
        other = f.run(["begun", "echo"], headers=key("k2"))
        expect(other.json["id"] != first.json["id"], True)
        expect(f.metric("belljar_idempotent_replays_total"), 1.0)
        # Without a key it runs each time.
        expect(f.run(["begun", "echo"]).json["id"] != first.json["id"], True)


def keys_belong_to_clients():
    with front() as f:
        mine = f.run(["begun"], headers=key("k"))
        his = f.run(["begun"], headers=key("k"), key="bob")
        expect(his.getheader("Idempotency-Replayed"), None)
        expect(his.json["id"] != mine.json["id"], True)


def another_request_with_the_key_is_refused():
    with front() as f:
        f.run(["begun"], headers=key("k"))
        problem(f.run(["begun", "out x"], headers=key("k")), 422, "unprocessable")
        problem(f.run(["begun"], headers=key("k"), path="/v1/execute"), 422, "unprocessable")


def while_it_runs_it_is_in_conflict():
    with front() as f:
        s = f.begin("POST", "/execute", "begun\nwait " + f.path("go"), key("k"))
        f.wait_metric("belljar_calls_running", 1)
        r = f.run(["begun", "wait " + f.path("go")], headers=key("k"))
        problem(r, 409, "conflict")
        expect(r.getheader("Retry-After"), "1")
        f.touch("go")
        expect(s.recv(12), b"HTTP/1.1 200")
        expect(f.run(["begun", "wait " + f.path("go")], headers=key("k")).status, 200)


def what_did_not_run_may_be_tried_again():
    with front() as f:
        for status in (400, 429, 503):
            r = f.run(['problem %d {"code":"x"}' % status], headers=key("a%d" % status))
            expect(r.status, status)
            r = f.run(['problem %d {"code":"x"}' % status], headers=key("a%d" % status))
            expect(r.getheader("Idempotency-Replayed"), None)
        r = f.run(['problem 500 {"code":"x"}'], headers=key("b"))
        r = f.run(['problem 500 {"code":"x"}'], headers=key("b"))
        expect((r.status, r.getheader("Idempotency-Replayed")), (500, "true"))


def what_died_is_unknown_and_stays_so():
    with front() as f:
        first = f.run(["begun", "die"], headers=key("k"))
        expect(first.json["status"], "unknown")
        again = f.run(["begun", "die"], headers=key("k"))
        expect((again.data, again.getheader("Idempotency-Replayed")), (first.data, "true"))
        expect(f.metric("belljar_keeper_deaths_total"), 1.0)


def a_client_that_left_finds_its_answer():
    with front() as f:
        lines = ["begun detach", "wait " + f.path("go")]
        s = f.begin("POST", "/execute", "\n".join(lines), key("k"))
        f.wait_metric("belljar_calls_running", 1)
        s.close()
        f.touch("go")
        wait_until(lambda: f.run(lines, headers=key("k")).status == 200, "the answer")
        r = f.run(lines, headers=key("k"))
        expect((r.json["cancelled"], r.getheader("Idempotency-Replayed")), (False, "true"))


def streams_are_replayed_as_their_result():
    with front() as f:
        body = "begun\nout hello\nanswer 200 {\"n\":1}"
        for form, want in (("text/event-stream", b'event: result\ndata: {"n":1}\n\n'),
                           ("application/x-ndjson", b'{"event":"result","n":1}\n'),
                           ("application/json", b'{"n":1}')):
            for turn in range(2):
                r = f.ask("POST", "/execute", body, headers={**key("k"), "Accept": form})
                expect(r.status, 200)
                if turn or form != "text/event-stream":
                    expect(r.data, want)
                    expect(r.getheader("Idempotency-Replayed"), "true")


def odd_keys_are_refused():
    with front() as f:
        for odd in ("", "x" * 256, "a\tb"):
            expect(f.run(["begun"], headers=key(odd)).status, 400, repr(odd))
        expect(f.run(["begun"], headers=key("x" * 255)).status, 200)
        # Where it does not count it does not matter.
        expect(f.ask("POST", "/v1/screen", "echo", headers=key("x" * 256)).status, 200)


def it_survives_a_restart():
    directory = tempfile.mkdtemp()
    try:
        f = Front(directory=directory)
        first = f.run(["begun"], headers=key("done"))
        s = f.begin("POST", "/execute", "begun\nwait /nonexistent/x", key("running"))
        f.wait_metric("belljar_calls_running", 1)
        f.process.kill()
        f.end()
        s.close()
        expect(os.stat(os.path.join(directory, "idempotency.db")).st_mode & 0o777, 0o600)
        with front(directory=directory) as g:
            again = g.run(["begun"], headers=key("done"))
            expect((again.data, again.getheader("Idempotency-Replayed")), (first.data, "true"))
            for _ in range(2):
                r = g.run(["begun", "wait /nonexistent/x"], headers=key("running"))
                expect((r.status, r.json["status"]), (200, "unknown"))
            expect(g.metric("belljar_calls_running"), 0.0)
            problem(g.run(["other"], headers=key("running")), 422, "unprocessable")
    finally:
        shutil.rmtree(directory)


def a_damaged_store_is_put_aside_and_said():
    directory = tempfile.mkdtemp()
    try:
        with open(os.path.join(directory, "idempotency.db"), "wb") as out:
            out.write(b"this is no database at all" * 1000)
        f = Front(directory=directory)
        expect(f.run(["begun"], headers=key("k")).status, 200)
        expect(f.end(), 0)
        expect(sorted(n for n in os.listdir(directory) if "damaged" in n), ["idempotency.db.damaged"])
    finally:
        shutil.rmtree(directory)


def keys_end():
    with front(view(idempotency_ms=1)) as f:
        a = f.run(["begun"], headers=key("k"))
        wait_until(lambda: f.run(["begun"], headers=key("k")).getheader("Idempotency-Replayed")
                   is None, "the key to end")
        wait_until(lambda: f.run(["other"], headers=key("k")).status == 200, "it to be free")
        expect(a.status, 200)


def answers_too_large_are_gone_but_not_run_again():
    with front() as f:
        expect(f.run(["begun", "big 5000000"], headers=key("k")).status, 200)
        problem(f.run(["begun", "big 5000000"], headers=key("k")), 410, "gone")
        for i in range(8):
            expect(f.run(["begun", "big 3000000"], headers=key("b%d" % i)).status, 200)
        expect(f.metric("belljar_idempotency_bytes") <= 16 << 20, True)
        problem(f.run(["begun", "big 3000000"], headers=key("b0")), 410, "gone")
        expect(f.run(["begun", "big 3000000"], headers=key("b7")).status, 200)


main([
    the_same_key_and_body_run_once,
    keys_belong_to_clients,
    another_request_with_the_key_is_refused,
    while_it_runs_it_is_in_conflict,
    what_did_not_run_may_be_tried_again,
    what_died_is_unknown_and_stays_so,
    a_client_that_left_finds_its_answer,
    streams_are_replayed_as_their_result,
    odd_keys_are_refused,
    it_survives_a_restart,
    a_damaged_store_is_put_aside_and_said,
    keys_end,
    answers_too_large_are_gone_but_not_run_again,
])
