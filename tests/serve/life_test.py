# SPDX-License-Identifier: Apache-2.0
"""life_test.py ECHO_SERVER - connections from their first byte to their end; the slow, the many, the gone."""
import array
import contextlib
import os
import re
import resource
import select
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import time

import echoing
from echoing import HOST, Skip, ask, connect, get, post, read_answer, serving, test, wait_until


@test
def a_connection_serves_one_request_after_the_other():
    with serving() as server, connect(server) as s:
        for i in range(100):
            s.sendall(post(b"/echo", b"x" * i))
            answer = read_answer(s)
            assert answer.body == b"x" * i and "connection" not in answer.headers, answer
        assert server.count() == 1


@test
def close_is_heard():
    with serving() as server:
        for words in b"close", b"keep-alive, Close", b"close\r\nConnection: keep-alive":
            with connect(server) as s:
                s.sendall(get(b"/x", b"Connection: " + words + b"\r\n"))
                answer = read_answer(s)
                assert answer.headers["connection"] == "close", answer
                assert s.recv(1) == b""


@test
def http_1_0_gets_one_answer_and_the_end():
    with serving() as server:
        for raw in b"GET /x HTTP/1.0\r\n\r\n", b"GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n":
            with connect(server) as s:
                s.sendall(raw)
                answer = read_answer(s)
                assert answer.status == 200 and answer.headers["connection"] == "close", answer
                assert s.recv(1) == b""
        with connect(server) as s:
            s.sendall(b"GET /stream?size=5000 HTTP/1.0\r\n\r\n")
            answer = read_answer(s)
            assert "transfer-encoding" not in answer.headers, answer
            assert answer.body == b"x" * 5000


@test
def head_has_the_head_of_get_and_no_body():
    with serving() as server, connect(server) as s:
        s.sendall(get(b"/x", method=b"HEAD"))
        answer = read_answer(s, head_only=True)
        assert int(answer.headers["content-length"]) > 0 and answer.rest == b"", answer
        s.sendall(get(b"/stream?size=50", method=b"HEAD"))
        answer = read_answer(s, head_only=True)
        assert answer.headers["transfer-encoding"] == "chunked" and answer.rest == b"", answer
        s.sendall(get(b"/none"))
        answer = read_answer(s)
        assert answer.status == 204 and "content-length" not in answer.headers, answer
        s.sendall(get(b"/x"))
        assert read_answer(s, answer.rest).status == 200


@test
def a_second_request_before_the_answer_ends_the_connection():
    with serving() as server:
        with connect(server) as s:  # in one piece
            s.sendall(get(b"/x") + get(b"/later?ms=0"))
            answer = read_answer(s)
            assert answer.status == 200 and answer.headers["connection"] == "close", answer
            assert echoing.read_to_end(s) == b""
        with connect(server) as s:  # while the first is at work
            s.sendall(get(b"/later?ms=300"))
            server.wait_line("working")
            s.sendall(get(b"/later?ms=0"))
            data = echoing.read_to_end(s)
            assert len(re.findall(rb"HTTP/1.1 200", data)) == 1, data
        with connect(server) as s:  # behind a body
            s.sendall(post(b"/echo", b"abc") + b"G")
            assert read_answer(s).headers["connection"] == "close"


@test
def a_slow_head_and_a_slow_body_are_cut():
    with serving("--head-ms", "800", "--body-ms", "800", "--idle-ms", "800") as server:
        with connect(server) as s:
            s.sendall(b"GET /x HT")
            assert read_answer(s).status == 408
            assert s.recv(1) == b""
        with connect(server) as s:
            s.sendall(b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\nab")
            answer = read_answer(s)
            assert answer.status == 408 and answer.headers["x-request-id"] == "id-of-the-api", answer
            assert s.recv(1) == b""
        with connect(server) as s:  # nothing at all: nothing to say
            assert s.recv(1) == b""
        with connect(server) as s:  # idle behind an answer
            s.sendall(get(b"/x"))
            assert read_answer(s).status == 200
            assert s.recv(1) == b""
        server.wait_count(0)


@test
def bytes_now_and_then_do_not_move_the_deadline():
    with serving("--head-ms", "1000") as server, connect(server) as s:
        with contextlib.suppress(OSError):
            for c in b"GET /x HTTP/1.1\r\nX-Test: " + b"a" * 10000:
                s.sendall(bytes([c]))
                time.sleep(0.05)
                if not echoing.is_silent(s, 0):
                    break
        assert read_answer(s).status == 408


@test
def patience_is_not_spent_while_the_handler_works():
    limits = ("--head-ms", "800", "--body-ms", "800", "--idle-ms", "800", "--write-ms", "800")
    with serving(*limits) as server:
        assert ask(server, get(b"/later?ms=2000")).body == b"later\n"


@test
def a_client_that_does_not_read_is_cut():
    with serving("--write-ms", "1500", "--pending", "10000") as server:
        with connect(server) as s:
            s.sendall(get(b"/stream?size=100000000"))
            assert server.wait_line("over") == "over /stream incomplete"
            server.wait_count(0)
        with connect(server) as s:  # the twin reads
            s.sendall(get(b"/stream?size=20000000"))
            assert read_answer(s).body == b"x" * 20000000


@test
def a_stream_waits_for_room():
    with serving("--pending", "5000") as server, connect(server) as s:
        s.sendall(get(b"/stream?size=50000000"))
        resident = lambda: memory_of(server.process.pid)
        time.sleep(0.5)
        assert resident() < 40 << 20, resident()
        answer = read_answer(s)
        assert answer.body == b"x" * 50000000
        assert server.wait_line("over") == "over /stream complete"
        s.sendall(get(b"/x"))
        assert read_answer(s).status == 200


@test
def an_answer_that_is_cut_never_looks_whole():
    with serving() as server:
        for raw in get(b"/cut"), b"GET /cut HTTP/1.0\r\n\r\n":
            with connect(server) as s:
                s.sendall(raw)
                try:
                    echoing.read_to_end(s)
                    raise AssertionError("it ended as if it were whole")
                except ConnectionResetError:
                    pass


@test
def the_handler_hears_that_the_client_is_gone():
    with serving() as server:
        with connect(server) as s:
            s.sendall(get(b"/later"))
            server.wait_line("working")
        assert server.wait_line("over") == "over /later incomplete"
        with connect(server) as s:  # reset
            s.sendall(get(b"/later"))
            server.wait_line("working")
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert server.wait_line("over") == "over /later incomplete"
        with connect(server) as s:  # in the middle of a stream
            s.sendall(get(b"/stream?size=100000000"))
            s.recv(1000)
        assert server.wait_line("over") == "over /stream incomplete"
        with connect(server) as s:  # the twin: it stays
            s.sendall(get(b"/later?ms=50"))
            assert read_answer(s).status == 200
        assert server.wait_line("over") == "over /later complete"
        server.wait_count(0)


@test
def a_client_that_ends_its_side_at_once_still_gets_its_answer():
    with serving() as server, connect(server) as s:
        s.sendall(get(b"/stream?size=3000"))
        s.shutdown(socket.SHUT_WR)
        assert read_answer(s).body == b"x" * 3000


@test
def half_a_request_and_then_nothing_costs_nothing():
    with serving() as server:
        for raw in b"GET", b"GET /x HTTP/1.1\r\nHost", b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab":
            with connect(server) as s:
                s.sendall(raw)
        server.wait_count(0)


@test
def draining_ends_what_is_idle_and_lets_the_rest_finish():
    with serving() as server, connect(server) as idle, connect(server) as busy:
        idle.sendall(get(b"/x"))
        assert read_answer(idle).status == 200
        busy.sendall(get(b"/later?ms=500"))
        server.wait_line("working")
        server.say("drain")
        assert idle.recv(1) == b""
        answer = read_answer(busy)
        assert answer.body == b"later\n" and answer.headers["connection"] == "close", answer
        assert busy.recv(1) == b""
        server.wait_count(0)
        try:
            connect(server).close()
            raise AssertionError("it still listens")
        except ConnectionRefusedError:
            pass


@test
def one_peer_cannot_have_all_connections():
    with serving("--per-peer", "3") as server:
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                s = stack.enter_context(connect(server))
                s.sendall(get(b"/later"))
                server.wait_line("working")
            answer = ask(server, b"")
            assert answer.status == 429 and "retry-after" in answer.headers, answer
        server.wait_count(0)
        assert ask(server, get(b"/x")).status == 200


@test
def of_one_peer_those_that_ask_nothing_make_room():
    with serving("--per-peer", "3") as server:
        with contextlib.ExitStack() as stack:
            idle = [stack.enter_context(connect(server)) for _ in range(3)]
            idle[2].sendall(get(b"/x"))
            assert read_answer(idle[2]).status == 200
            assert ask(server, get(b"/x")).status == 200
            assert idle[0].recv(1) == b""  # the one that had said nothing for longest
            idle[2].sendall(get(b"/x"))
            assert read_answer(idle[2]).status == 200


@test
def of_one_peer_those_that_never_come_to_an_end_make_room():
    with serving("--per-peer", "4") as server:
        with contextlib.ExitStack() as stack:
            begun = [stack.enter_context(connect(server)) for _ in range(3)]
            for s in begun:
                s.sendall(b"G")
            busy = stack.enter_context(connect(server))
            busy.sendall(get(b"/later"))
            server.wait_line("working")  # what came before that was read before that
            assert ask(server, get(b"/x")).status == 200
            assert begun[0].recv(1) == b""  # the one that came first
            begun[2].sendall(get(b"/x")[1:])
            assert read_answer(begun[2]).status == 200
        server.wait_count(0)
        with contextlib.ExitStack() as stack:
            for _ in range(9):  # they were refused, and stay
                s = stack.enter_context(connect(server))
                s.sendall(b"?\r\n\r\n")
                assert read_answer(s).status == 400
            assert ask(server, get(b"/x")).status == 200


@test
def a_full_server_says_so_and_idle_ones_make_room():
    with serving("--connections", "3") as server:
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                s = stack.enter_context(connect(server))
                s.sendall(get(b"/later"))
                server.wait_line("working")
            answer = ask(server, b"")
            assert answer.status == 503, answer
            assert answer.headers["content-type"] == "application/problem+json", answer
        server.wait_count(0)
        with contextlib.ExitStack() as stack:
            idle = []
            for _ in range(3):
                idle.append(stack.enter_context(connect(server)))
                idle[-1].sendall(get(b"/x"))
                assert read_answer(idle[-1]).status == 200
            assert ask(server, get(b"/x")).status == 200
            assert idle[0].recv(1) == b""  # the longest idle
            idle[2].sendall(get(b"/x"))
            assert read_answer(idle[2]).status == 200


@test
def all_bodies_together_have_a_ceiling():
    head = b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\n"
    with serving("--bodies-bytes", "150000") as server:
        with connect(server) as first:
            first.sendall(head + b"x" * 90000)
            with connect(server) as second:
                second.sendall(head + b"x" * 90000)
                refused, _, _ = select.select([first, second], [], [], echoing.PATIENCE)
                assert len(refused) == 1, refused
                assert read_answer(refused[0]).status == 503
                rest = second if refused[0] is first else first
                rest.sendall(b"x" * 10000)
                assert read_answer(rest).body == b"x" * 100000
        server.wait_count(0)
        for _ in range(5):  # what is over does not count
            assert ask(server, post(b"/echo", b"y" * 100000)).status == 200


def sleeps(pid):
    """Who spins is runnable whenever one looks, however loaded the machine is."""
    with open("/proc/%d/stat" % pid, encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "S"


@test
def without_descriptors_it_rests_and_comes_back():
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
    with serving(preexec_fn=few) as server:
        with contextlib.ExitStack() as stack:
            held = [stack.enter_context(connect(server)) for _ in range(30)]
            wait_until(lambda: server.count() >= 5, "connections")
            looks = []
            for _ in range(50):
                looks.append(sleeps(server.process.pid))
                time.sleep(0.02)
            assert sum(looks) > 10, looks
            held[0].sendall(get(b"/x"))
            assert read_answer(held[0]).status == 200
        assert ask(server, get(b"/x")).status == 200


def memory_of(pid):
    with open("/proc/%d/smaps_rollup" % pid, encoding="ascii") as f:
        return int(re.search(r"Pss_Anon:\s+(\d+)", f.read()).group(1)) * 1024


@test
def a_thousand_idle_connections_cost_little():
    if os.environ.get("SANITIZED"):
        raise Skip("sanitizers need memory of their own")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4000:
        raise Skip("no more than %d descriptors" % hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4000 if soft < 4000 else soft, hard))
    with serving() as server:
        with contextlib.ExitStack() as stack:
            ask(server, post(b"/echo", b"x" * 100000))
            before = memory_of(server.process.pid)
            idle = [stack.enter_context(connect(server)) for _ in range(1000)]
            for s in idle:
                s.sendall(post(b"/echo", b"x" * 5000))
            for s in idle:
                assert read_answer(s).status == 200
            wait_until(lambda: server.count() == 1000, "1000 connections")
            each = (memory_of(server.process.pid) - before) / 1000
            print("# %d bytes for each idle connection" % each)
            assert each < 4096, each
            idle[500].sendall(get(b"/x"))
            assert read_answer(idle[500]).status == 200
        server.wait_count(0)


@test
def a_unix_socket_says_who_is_there():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        path = d + "/s"
        with serving(address="unix:" + path) as server:
            mode = os.stat(path).st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660, oct(mode)
            answer = ask(server, get(b"/peer"))
            assert b"loopback=0 unix=1 uid=%d tls=0" % os.getuid() in answer.body, answer
            if os.getuid() == 0:
                os.chmod(path, 0o666)
                code = ("import socket; s = socket.socket(socket.AF_UNIX); s.connect('%s');"
                        "s.sendall(b'GET /peer HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n');"
                        "print(s.makefile().read())" % path)
                seen = subprocess.run(["/usr/bin/python3", "-c", code], user=65534, group=65534,
                                      extra_groups=[], capture_output=True, text=True, check=True,
                                      cwd="/")
                assert "uid=65534" in seen.stdout, seen
            # Somebody listens: another server stays away, and takes nothing from the first.
            other = subprocess.run([echoing.sys.argv[1], "unix:" + path], stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, check=False)
            assert other.returncode == 1 and "already" in other.stderr, other
            assert ask(server, get(b"/x")).status == 200
        # Nobody listens any more: the dead socket is replaced.
        assert os.path.exists(path)
        with serving(address="unix:" + path) as server:
            assert ask(server, get(b"/x")).status == 200
        os.unlink(path)
        with open(path, "w", encoding="ascii") as f:
            f.write("precious")
        other = subprocess.run([echoing.sys.argv[1], "unix:" + path], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, check=False)
        assert other.returncode == 1 and "no socket" in other.stderr, other
        with open(path, encoding="ascii") as f:
            assert f.read() == "precious"


@test
def who_comes_over_loopback_is_known():
    with serving() as server:
        answer = ask(server, get(b"/peer"))
        assert answer.body == b"loopback=1 unix=0 uid=-1 tls=0 cert= address=127.0.0.1\n", answer
    try:
        probe = socket.create_server(("::1", 0), family=socket.AF_INET6)
        probe.close()
    except OSError as why:
        raise Skip("no IPv6 here: %s" % why) from why
    with serving(address="[::1]:0") as server:
        with socket.create_connection(("::1", server.port), timeout=60) as s:
            s.sendall(get(b"/peer"))
            assert b"loopback=1 unix=0 uid=-1 tls=0 cert= address=::1\n" == read_answer(s).body


@test
def sockets_are_inherited_by_the_process_they_are_meant_for():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        fd = listener.fileno()

        def as_systemd_does(pid=None):
            os.dup2(fd, 3)
            os.environ["LISTEN_PID"] = str(pid or os.getpid())
            os.environ["LISTEN_FDS"] = "1"
        port = listener.getsockname()[1]
        with serving(preexec_fn=as_systemd_does, pass_fds=(3,)) as server:
            assert server.port == port  # it is named first
            assert ask(server, get(b"/x")).status == 200
        with serving(preexec_fn=lambda: as_systemd_does(1), pass_fds=(3,)) as server:
            assert server.port != port


def lingering(listener):
    """A socket whose last close waits for an hour, unless a signal comes; and its peer."""
    s = socket.create_connection(listener.getsockname())
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3600))
    peer = listener.accept()[0]
    s.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            s.send(b"x" * 65536)
    return s, peer


def send_away(s, fds):
    s.sendmsg([b"G"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])


@contextlib.contextmanager
def waiting_closes(n):
    """Descriptors of such sockets; the rest must be left to whoever got them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pairs = [lingering(listener) for _ in range(n)]
        try:
            yield [s.detach() for s, _ in pairs]
        finally:
            for _, peer in pairs:
                peer.close()


def close_without_waiting(fds):
    """As a process that ends does; who has others of them makes the last close."""
    for fd in fds:
        with socket.socket(fileno=fd) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))


@test
def a_descriptor_that_is_thrown_away_can_make_one_wait():
    """The twin: without the wall."""
    with waiting_closes(1) as fds:
        ours, theirs = socket.socketpair()
        send_away(ours, fds)
        closed, close = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(fds[0])
            os.read(closed, 1)
            theirs.recv(10)
            os._exit(0)
        os.close(fds[0])  # not the last one, as long as nothing was received
        os.write(close, b"!")
        theirs.close()
        end = time.monotonic() + 2
        while time.monotonic() < end:
            assert os.waitpid(pid, os.WNOHANG) == (0, 0), "it did not wait"
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(closed)
        os.close(close)


@test
def descriptors_of_a_client_hold_nobody_up():
    with tempfile.TemporaryDirectory() as d, serving(address="unix:" + d + "/s") as server:
        with waiting_closes(3) as fds, contextlib.ExitStack() as stack:
            for fd in fds:
                s = stack.enter_context(connect(server))
                try:
                    send_away(s, [fd])
                    os.close(fd)
                except PermissionError:  # since Linux 6.16
                    close_without_waiting([fd])
            assert ask(server, get(b"/x")).status == 200


@test
def descriptors_that_were_sent_before_it_began_hold_nobody_up():
    """Nobody has refused them: as with kernels that cannot."""
    with tempfile.TemporaryDirectory() as d, waiting_closes(6) as fds, contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(d + "/s")
        listener.listen()
        for i, fd in enumerate(fds):
            s = stack.enter_context(socket.socket(socket.AF_UNIX))
            s.connect(d + "/s")
            if i % 3 == 1:  # the answer comes before what is behind it is looked at
                s.sendall(get(b"/x", b"Connection: close\r\n"))
            if i % 3 == 2:
                s.sendall(b"nonsense\r\n\r\n")
            send_away(s, [fd])
            os.close(fd)

        def as_systemd_does():
            os.dup2(listener.fileno(), 3)
            os.environ["LISTEN_PID"] = str(os.getpid())
            os.environ["LISTEN_FDS"] = "1"
        with serving(preexec_fn=as_systemd_does, pass_fds=(3,)) as server:
            listener.close()
            for _ in range(3):
                with socket.socket(socket.AF_UNIX) as s:
                    s.settimeout(60)
                    s.connect(d + "/s")
                    s.sendall(get(b"/x"))
                    assert read_answer(s).status == 200
            del server


echoing.main()
