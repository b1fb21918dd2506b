# SPDX-License-Identifier: Apache-2.0
"""apirevoke_test.py - another policy counts: who was let in by the old one, and what goes on."""
from fronting import client, expect, front, main, sha256, view

ALL = ["execute", "read", "admin"]


def clients(ann="key-ann", scopes=("execute", "read"), spy=ALL):
    return [client("ann", key_sha256=[sha256(ann)], scopes=list(scopes)), client("bob"),
            client("root", scopes=ALL), client("spy", scopes=spy)]


def change(f, the_view, generation=2):
    f.set_view_file(the_view)
    f.tell("view %s %d" % (f.view_path, generation))


def half(f, path, body, key="ann"):
    """A request without the last byte of its body."""
    sock = f.begin("POST", path, "", {"Content-Length": str(len(body))}, key)
    sock.sendall(body[:-1].encode())
    return sock, body[-1:].encode()


def status_of(sock):
    with sock:
        return int(sock.recv(12).split()[1])


def ready(f, n=2):
    f.wait_metric("belljar_keepers_ready", n)


def a_body_that_comes_later_does_not_bring_an_old_key_in():
    for after, want in ((clients(), 200), (clients(ann="another"), 401),
                        (clients(scopes=["read"]), 401), (clients()[1:], 401)):
        with front(view(clients())) as f:
            ready(f)
            sock, last = half(f, "/execute", "begun\n")
            f.wait_metric("belljar_request_body_bytes", 6)
            change(f, view(after))
            ready(f)
            sock.sendall(last)
            expect(status_of(sock), want, after[0]["name"])


def nor_into_a_session():
    for after, want in ((clients(), 200), (clients(ann="another"), 401)):
        with front(view(clients())) as f:
            ready(f)
            where = f.ask("POST", "/v1/sessions", "answer 201 {}").getheader("Location")
            sock, last = half(f, where + "/code", "begun\n")
            f.wait_metric("belljar_request_body_bytes", 6)
            change(f, view(after))
            sock.sendall(last)
            expect(status_of(sock), want, after[0]["name"])


def who_waits_for_its_turn_is_turned_out_and_who_runs_is_not():
    with front(view(clients(), concurrency=1)) as f:
        ready(f, 1)
        runs = f.begin("POST", "/execute", "begun\nwait " + f.path("go"))
        f.wait_metric("belljar_calls_running", 1)
        waits = f.begin("POST", "/execute", "begun")
        others = f.begin("POST", "/execute", "begun", key="bob")
        f.wait_metric("belljar_queue_length", 2)
        change(f, view(clients(ann="another"), concurrency=1))
        expect(status_of(waits), 401)
        f.touch("go")
        expect(status_of(runs), 200)
        expect(status_of(others), 200)
        f.wait_metric("belljar_queue_length", 0)


def who_only_looks_on_is_cut_off():
    for after, ends in ((clients(), False), (clients(spy=["read"]), True)):
        with front(view(clients())) as f:
            ready(f)
            runs = f.stream(["begun", "out hello", "wait " + f.path("go"), "out more"])
            name = runs.next()[1]["id"]
            spy = f.stream([], path="/v1/calls/%s/output" % name, method="GET", key="spy")
            expect([spy.next()[0], spy.next()[1]["data"]], ["start", "hello"])
            change(f, view(after))
            f.touch("go")
            try:
                saw = [e[1].get("data") for e in spy.rest()]
            except OSError:
                saw = []
            expect("more" in saw, not ends)
            expect("more" in [e[1].get("data") for e in runs.rest()], True)


def who_had_the_policy_read_hears_of_it_without_a_key_too():
    with front(view(clients())) as f:
        ready(f)
        asked = f.begin("POST", "/v1/admin/reload", key="root")
        f.wait_line("asked 2 1")
        change(f, view([c for c in clients() if c["name"] != "root"]))
        f.tell("reloaded - 1")
        expect(status_of(asked), 200)
        expect(f.ask("POST", "/v1/admin/reload", key="root").status, 401)


main([a_body_that_comes_later_does_not_bring_an_old_key_in, nor_into_a_session,
      who_waits_for_its_turn_is_turned_out_and_who_runs_is_not, who_only_looks_on_is_cut_off,
      who_had_the_policy_read_hears_of_it_without_a_key_too])
