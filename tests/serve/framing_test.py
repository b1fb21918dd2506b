# SPDX-License-Identifier: Apache-2.0
"""framing_test.py ECHO_SERVER - what is a request, byte by byte, on the real server."""
import json
import re
import time

import echoing
from echoing import HOST, ask, connect, get, post, read_answer, serving, test
from framing_rows import ROWS


def status_of(answer):
    return answer.status if answer else 0


def check_problem(answer):
    """What the server refuses by itself says why, and ends the connection."""
    problem = json.loads(answer.body)
    assert answer.headers["content-type"] == "application/problem+json", answer
    assert answer.headers["connection"] == "close", answer
    assert problem["status"] == answer.status and problem["detail"], problem
    assert problem["type"] == "https://belljar.dev/problems/" + problem["code"], problem
    assert problem["request_id"] == answer.headers["x-request-id"], problem


@test
def every_row_has_its_status():
    wrong = []
    with serving() as server:
        for name, raw, want in ROWS:
            answer = ask(server, raw)
            if status_of(answer) != want:
                wrong.append("%s: %s, not %s" % (name, status_of(answer), want))
            elif want >= 400:
                check_problem(answer)
    assert not wrong, wrong


@test
def the_status_does_not_depend_on_how_the_bytes_come():
    wrong = []
    with serving() as server:
        for name, raw, want in ROWS:
            if len(raw) > 500:
                continue
            with connect(server) as s:
                for i in range(len(raw)):
                    try:
                        s.sendall(raw[i:i + 1])
                    except OSError:
                        break
                    if i % 7 == 0:
                        time.sleep(0)
                try:
                    got = read_answer(s).status
                except (EOFError, ConnectionResetError):
                    got = 0
            if got != want:
                wrong.append("%s: %s, not %s" % (name, got, want))
    assert not wrong, wrong


@test
def a_refused_request_hides_no_second_one():
    smuggled = get(b"/later?ms=0")
    with serving() as server:
        for name, raw, want in ROWS:
            if want < 400:
                continue
            with connect(server) as s:
                try:
                    s.sendall(raw + smuggled)
                    data = echoing.read_to_end(s)
                except (ConnectionResetError, BrokenPipeError):
                    data = b""
            assert len(re.findall(rb"HTTP/1.1 \d\d\d ", data)) <= 1, (name, data)
        server.say("count")
        while (line := server.lines.get(timeout=60)).startswith("refused"):
            pass
        assert line.startswith("count"), line  # no "working"


@test
def what_is_accepted_is_seen_as_it_was_sent():
    with serving() as server:
        answer = ask(server, get(b"/a%2fb/%C3%A9%20x?q=1+2%26", b"X-Test: \t v w \t\r\nAccept: a\r\nAccept: b\r\n"))
        want = "method=GET path=/a%2Fb/\u00e9 x body=0 q=1 2&\nhost=a\naccept=a, b\nx-test=v w\n"
        assert answer.body.decode() == want, answer.body
        answer = ask(server, post(b"/echo", bytes(range(256))))
        assert answer.body == bytes(range(256))
        answer = ask(server, b"POST /echo HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
                     b"1\r\n\0\r\n00a\r\n0123456789\r\n0\r\n\r\n")
        assert answer.body == b"\x000123456789", answer


@test
def a_body_that_is_too_large_is_refused_before_it_comes():
    with serving() as server:
        with connect(server) as s:
            s.sendall(b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 1048577\r\n\r\n")
            answer = read_answer(s)
            assert answer.status == 413, answer
        with connect(server) as s:  # as the handler lowered it
            s.sendall(b"POST /small HTTP/1.1\r\n" + HOST + b"Content-Length: 11\r\n\r\n")
            answer = read_answer(s)
            assert answer.status == 413, answer
            assert answer.headers["x-request-id"] == "id-of-the-api", answer
        answer = ask(server, post(b"/small", b"0123456789"))
        assert answer.status == 200, answer
        answer = ask(server, b"POST /small HTTP/1.1\r\n" + HOST +
                     b"Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\n")
        assert answer.status == 413, answer


@test
def a_client_that_still_sends_sees_why_it_was_refused():
    with serving() as server, connect(server) as s:
        s.sendall(post(b"/early", b"x" * 1000000))
        answer = read_answer(s)
        assert (answer.status, answer.body) == (403, b"not wanted\n"), answer
        assert answer.headers["connection"] == "close", answer
        assert s.recv(1) == b""


@test
def continue_is_said_when_it_is_asked_for():
    head = b"POST /echo HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 3\r\n"
    with serving() as server:
        with connect(server) as s:
            s.sendall(head + b"\r\n")
            answer = read_answer(s)
            assert answer.status == 100, answer
            s.sendall(b"abc")
            answer = read_answer(s, answer.rest)
            assert (answer.status, answer.body) == (200, b"abc"), answer
        with connect(server) as s:  # the body came without waiting
            s.sendall(head + b"\r\nabc")
            assert read_answer(s).status == 200
        with connect(server) as s:  # not wanted: no invitation
            s.sendall(head.replace(b"/echo", b"/early") + b"\r\n")
            assert read_answer(s).status == 403
        with connect(server) as s:  # too large: no invitation
            s.sendall(head.replace(b": 3", b": 9999999") + b"\r\n")
            assert read_answer(s).status == 413
        with connect(server) as s:  # HTTP/1.0 knows no such thing
            s.sendall(head.replace(b"1.1", b"1.0") + b"\r\n")
            assert echoing.is_silent(s)
            s.sendall(b"abc")
            assert read_answer(s).status == 200


@test
def an_answer_cannot_be_split_by_what_is_in_a_header():
    with serving() as server:
        answer = ask(server, get(b"/split"))
        assert answer.headers["x-a"] == "a__X-B: b" and "x-b" not in answer.headers, answer


@test
def pages_in_browsers_are_told_apart():
    rows = [
        (b"Host: a\r\n", 200),
        (b"Host: localhost:8640\r\n", 200),
        (b"Host: 127.0.0.1\r\n", 200),
        (b"Host: [::1]:1\r\n", 200),
        (b"Host: box.example:1234\r\n", 200),
        (b"Host: box.example:1235\r\n", 421),
        (b"Host: box.example\r\n", 421),
        (b"Host: evil.example:8640\r\n", 421),
        (b"Host: localhost.evil.example\r\n", 421),
        (b"Host: localhost.\r\n", 421),
        (b"Host: a\r\nOrigin: http://a\r\n", 200),
        (b"Host: a\r\nOrigin: https://a\r\n", 403),
        (b"Host: a\r\nOrigin: https://app.example\r\n", 200),
        (b"Host: a\r\nOrigin: https://app.example.evil\r\n", 403),
        (b"Host: a\r\nOrigin: null\r\n", 403),
        (b"Host: a\r\nSec-Fetch-Site: cross-site\r\n", 403),
        (b"Host: a\r\nSec-Fetch-Site: none\r\n", 200),
    ]
    with serving() as server:
        for headers, want in rows:
            answer = ask(server, b"GET /checked HTTP/1.1\r\n" + headers + b"\r\n")
            assert status_of(answer) == want, (headers, answer)


echoing.main()
