# SPDX-License-Identifier: Apache-2.0
"""apiload_test.py - too many, too much, too long: bounded, and fair between clients."""
import contextlib
import os
import signal
import socket
import threading

from fronting import PATIENCE, bounded, client, expect, front, main, problem, view, wait_until

CLIENTS = [client("ann"), client("bob"), client("root", scopes=["admin"]),
           client("two", max_concurrent=2)]


def drain_answers(socks):
    """The statuses of requests that were begun on sockets of their own."""
    out = []
    for s in socks:
        out.append(int(s.recv(12).split()[1]))
        s.close()
    return out


def hold_keepers(f, n=2, name="hold"):
    f.wait_metric("belljar_keepers_ready", n)
    socks = [f.begin("POST", "/execute", "begun\nwait " + f.path(name), key="root")
             for _ in range(n)]
    f.wait_metric("belljar_calls_running", n)
    return socks


def beyond_the_queue_is_503():
    with front(view(CLIENTS, queue=3)) as f:
        held = hold_keepers(f)
        waiting = [f.begin("POST", "/execute", "begun") for _ in range(3)]
        f.wait_metric("belljar_queue_length", 3)
        r = f.run(["begun"])
        problem(r, 503, "overloaded")
        expect(int(r.getheader("Retry-After")) >= 1, True)
        # Looking at things still works.
        expect(f.ask("GET", "/healthz", key=None).status, 200)
        f.touch("hold")
        expect(drain_answers(held + waiting), [200] * 5)


def whoever_waits_too_long_is_turned_away():
    with front(view(CLIENTS, queue_wait_ms=200)) as f:
        held = hold_keepers(f)
        problem(f.run(["begun"]), 503, "overloaded")
        expect(f.metric("belljar_queue_length"), 0.0)
        f.touch("hold")
        expect(drain_answers(held), [200] * 2)
    with front(view(CLIENTS, queue=0)) as f:
        held = hold_keepers(f)
        problem(f.run(["begun"]), 503, "overloaded")
        f.touch("hold")
        expect(drain_answers(held), [200] * 2)


def a_flood_fills_its_own_line_only():
    with front(view(CLIENTS, queue=8)) as f:
        held = hold_keepers(f)
        flood = [f.begin("POST", "/execute", "begun", key="ann") for _ in range(20)]
        f.wait_metric("belljar_queue_length", 8)
        # Bob still finds room: the newest of ann's go for him, until both have the same.
        bobs = [f.begin("POST", "/execute", "begun", key="bob") for _ in range(4)]
        f.wait_metric("belljar_overloaded_total", 16)
        problem(f.run(["begun"], key="bob"), 503, "overloaded")
        f.touch("hold")
        expect(drain_answers(bobs), [200] * 4)
        statuses = drain_answers(flood)
        expect((statuses.count(200), statuses.count(503)), (4, 16))
        drain_answers(held)


def a_client_leaves_connections_to_the_others():
    with front(view(CLIENTS, connections=40, queue=40)) as f:
        held = hold_keepers(f, 2)
        name = f.ask("GET", "/v1/calls", key="root").json["calls"][0]["id"]
        # As many as one address may have, all of one client that waits.
        look = "/v1/calls/%s?wait=60" % name
        waits = [f.begin("GET", look, key="root") for _ in range(26)]
        expect(f.ask("GET", "/v1/calls", key="bob").status, 200)
        f.wait_metric("belljar_too_many_total", 8)
        f.touch("hold")
        statuses = drain_answers(held + waits)
        expect((statuses.count(200), statuses.count(429)), (20, 8))
    with front(view(CLIENTS[:1], connections=40, queue=40)) as f:  # nobody to leave them to
        held = [f.begin("POST", "/execute", "begun\nwait " + f.path("hold")) for _ in range(25)]
        f.touch("hold")
        expect(drain_answers(held), [200] * 25)


def what_a_new_policy_says_of_connections_counts():
    with front(view(CLIENTS, body_bytes=2000, idle_wait_ms=600000)) as f:
        problem(f.run(["begun", "out " + "x" * 3000]), 413, "too_large")
        f.set_view_file(view(CLIENTS, body_bytes=4000, idle_wait_ms=100))
        f.tell("view %s 2" % f.view_path)
        f.wait_metric("belljar_keepers_ready", 2)
        expect(f.run(["begun", "out " + "x" * 3000]).status, 200)
        with f.begin("GET", "/healthz") as s:
            while s.recv(4096):  # until it is closed for having nothing more to ask
                pass


def who_only_waits_makes_room_and_who_has_asked_does_not():
    """More at once than one address may open: those that were let in are answered."""
    with front(view(CLIENTS, connections=64)) as f, contextlib.ExitStack() as stack:
        def connect():
            at = ("127.0.0.1", f.port)
            return stack.enter_context(socket.create_connection(at, timeout=PATIENCE))

        for _ in range(200):
            connect()
        expect(f.ask("GET", "/healthz").status, 200, "beside those that ask nothing")
        os.kill(f.process.pid, signal.SIGSTOP)  # it finds all of them at once
        socks = [connect() for _ in range(200)]
        for s in socks:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        os.kill(f.process.pid, signal.SIGCONT)
        saw = [s.recv(12)[9:] for s in socks]
        expect(set(saw), {b"200", b"429"}, "what those saw who had asked")


def when_fewer_may_be_open_those_that_only_wait_go():
    with front(view(CLIENTS, connections=200)) as f, contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(socket.create_connection(("127.0.0.1", f.port)))
        f.wait_metric("belljar_connections", 101)
        f.set_view_file(view(CLIENTS, connections=20))
        f.tell("view %s 2" % f.view_path)
        expect(f.ask("GET", "/healthz").status, 200)
        expect(f.metric("belljar_connections") <= 20, True, "of 100 that were open")


def who_waits_for_its_turn_may_have_said_all_that_it_will():
    with front(view(CLIENTS)) as f:
        for _ in range(100):
            f.run(["begun"])
        socks = []
        for _ in range(60):
            socks.append(f.begin("GET", "/v1/calls"))
            socks[-1].shutdown(socket.SHUT_WR)
        expect(drain_answers(socks), [200] * 60)


def clients_take_turns():
    with front(view(CLIENTS, queue=40, concurrency=1)) as f:
        held = hold_keepers(f, 1)
        order = []
        lock = threading.Lock()

        def wait_for(name, sock):
            sock.recv(65536)
            with lock:
                order.append(name)

        threads = []
        for name, n in (("ann", 20), ("bob", 3)):
            for _ in range(n):
                s = f.begin("POST", "/execute", "begun\nsleep 20", key=name)
                threads.append(threading.Thread(target=wait_for, args=(name, s)))
            f.wait_metric("belljar_queue_length", 20 if name == "ann" else 23)
        for t in threads:
            t.start()
        f.touch("hold")
        for t in threads:
            t.join()
        # With turns bob is through after about six calls; without, after twenty-three.
        last = max(i for i, name in enumerate(order) if name == "bob")
        expect(last < 12, True, "bob's last place, %d" % last)
        drain_answers(held)


def a_client_s_own_cap_is_429():
    with front(view(CLIENTS, concurrency=4)) as f:
        mine = [f.begin("POST", "/execute", "begun\nwait " + f.path("go"), key="two")
                for _ in range(2)]
        f.wait_metric("belljar_calls_running", 2)
        r = f.run(["begun"], key="two")
        problem(r, 429, "too_many_requests")
        expect(int(r.getheader("Retry-After")) >= 1, True)
        expect(f.run(["begun"], key="ann").status, 200)
        f.touch("go")
        expect(drain_answers(mine), [200] * 2)
        wait_until(lambda: f.run(["begun"], key="two").status == 200, "room again")


def leaving_the_line_leaves_nothing():
    with front(view(CLIENTS)) as f:
        held = hold_keepers(f)
        for s in [f.begin("POST", "/execute", "begun") for _ in range(6)]:
            s.close()
        f.wait_metric("belljar_queue_length", 0)
        f.touch("hold")
        expect(drain_answers(held), [200] * 2)
        expect(f.metric('belljar_runs_total{tool="execute_code",verdict="success",backend="native"}'), 2.0)


def without_keepers_it_waits_and_then_says_so():
    with front(view(CLIENTS, queue_wait_ms=1500)) as f:
        f.tell("starting no")
        for _ in range(2):
            f.run(["die"])
        problem(f.run(["begun"]), 503, "overloaded")
        expect(f.ask("GET", "/readyz", key=None).json["checks"]["keepers"]["ok"], False)
        f.tell("starting yes")
        wait_until(lambda: f.run(["begun"]).status == 200, "new keepers")


def bodies_are_counted_before_they_come():
    with front(view(CLIENTS, body_bytes=64 << 20)) as f:
        before = f.resident()
        head = ("POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-ann\r\n"
                "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (60 << 20)).encode()
        socks = []
        for _ in range(6):
            s = socket.create_connection(("127.0.0.1", f.port))
            s.sendall(head)
            socks.append(s)
        f.wait_metric("belljar_overloaded_total", 4)
        # Half of it is for others.
        expect(f.ask("POST", "/execute", "begun" + " " * (30 << 20), key="bob").status, 200)
        for s in socks:
            s.close()
        f.wait_metric("belljar_request_body_bytes", 0)
        bounded(f, before, 80 << 20, "memory for bodies that never came")


def one_who_reads_nothing_has_its_share_and_not_everybody_s():
    size = 7 << 20
    with front(view(CLIENTS)) as f:
        before = f.resident()
        r = f.run(["begun detach", "wait " + f.path("go"), "big %d" % size],
                  headers={"Prefer": "respond-async"})
        expect(r.status, 202)
        call = "/v1/calls/" + r.json["id"]
        with contextlib.ExitStack() as stack:
            def wait_for_it(path, form):
                s = socket.socket()
                stack.enter_context(s)
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                s.connect(("127.0.0.1", f.port))
                s.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-ann"
                           "\r\nAccept: %s\r\n\r\n" % (path, form)).encode())

            # They all came in when nothing was being sent.
            for _ in range(25):
                wait_for_it(call + "?wait=60", "*/*")
                wait_for_it(call + "/output", "text/event-stream")
            f.wait_metric("belljar_connections", 51)
            f.touch("go")
            wait_until(lambda: f.metric("belljar_overloaded_total") > 0, "ann's share to be used up")
            expect(f.metric("belljar_answer_bytes") <= 128 << 20, True, "ann's share")
            bounded(f, before, 300 << 20, "memory for answers that nobody reads")
            problem(f.ask("GET", call), 503, "overloaded")
            expect(f.run(["begun"], key="bob").status, 200)
            expect(f.ask("GET", "/healthz", key=None).status, 200)
        f.wait_metric("belljar_answer_bytes", 0)
        expect(len(f.ask("GET", call).data) > size, True)


def many_calls_leave_memory_flat():
    n, workers = 10000, 4
    with front(view([client("ann", uids="any"), client("root", scopes=["admin"])],
                    loopback_without_key=True, calls_kept=200, queue=64)) as f:
        failures = []

        def work(count):
            c = f.connect()
            for i in range(count):
                r = f.run(["begun", "out x"], connection=c,
                          headers={"Idempotency-Key": "k%d-%d" % (threading.get_ident(), i)}
                          if i % 50 == 0 else None)
                if r.status != 200:
                    failures.append(r.status)

        def burst(count):
            threads = [threading.Thread(target=work, args=(count // workers,))
                       for _ in range(workers)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()

        burst(n // 5)
        before = f.resident()
        burst(n * 4 // 5)
        expect(failures, [])
        bounded(f, before, 3 << 20, "memory for %d calls more" % (n * 4 // 5))
        expect(f.metric("belljar_calls_kept"), 200.0)
        expect(f.metric("belljar_answer_bytes"), 0.0)


def idle_connections_are_cheap():
    with front(view(CLIENTS, connections=600), ) as f:
        before = f.resident()
        with contextlib.ExitStack() as stack:
            for _ in range(400):
                stack.enter_context(socket.create_connection(("127.0.0.1", f.port)))
            f.wait_metric("belljar_connections", 401)
            bounded(f, before, 4 << 20, "memory for idle connections")
            expect(f.run(["begun"]).status, 200)


main([
    beyond_the_queue_is_503,
    whoever_waits_too_long_is_turned_away,
    a_flood_fills_its_own_line_only,
    a_client_leaves_connections_to_the_others,
    what_a_new_policy_says_of_connections_counts,
    who_only_waits_makes_room_and_who_has_asked_does_not,
    when_fewer_may_be_open_those_that_only_wait_go,
    who_waits_for_its_turn_may_have_said_all_that_it_will,
    clients_take_turns,
    a_client_s_own_cap_is_429,
    leaving_the_line_leaves_nothing,
    without_keepers_it_waits_and_then_says_so,
    bodies_are_counted_before_they_come,
    one_who_reads_nothing_has_its_share_and_not_everybody_s,
    many_calls_leave_memory_flat,
    idle_connections_are_cheap,
])
