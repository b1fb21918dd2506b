# SPDX-License-Identifier: Apache-2.0
"""belljar.py - a client of `belljar serve`. Standard library only, Python 3.9 or newer, one file.

    from belljar import Belljar

    jar = Belljar()                                   # http://127.0.0.1:8640
    print(jar.execute("execute_code", "print(6 * 7)").output)

    for event in jar.stream("execute_code", "print('as it comes')"):
        print(event.name, event.text)

    with jar.session("execute_code", language="python") as s:
        s.code("x = 20")
        print(s.code("print(x + 1)").output)          # 21

    call_id = jar.start("execute_code", "...")        # goes on without us: jar.call(), jar.follow()

AsyncBelljar has the same methods as coroutines; streams are `async for`, a session is
`async with await jar.session(...)`. One Belljar is for one thread at a time.

A call that was refused, failed or was killed is a result, not an exception: look at `success`,
`status` and `why`, or say `result.raise_for_status()`. What is wrong with the request, or with the
service, raises ApiError.
"""
from __future__ import annotations

import asyncio
import base64
import http.client
import json
import os
import socket
import ssl
from dataclasses import dataclass, field
from typing import (Any, AsyncIterator, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple,
                    Union)
from urllib.parse import SplitResult, quote, urlencode, urlsplit

__all__ = ["Belljar", "AsyncBelljar", "Session", "AsyncSession", "Result", "Event", "Why",
           "BelljarError", "ApiError", "CallFailed", "CallDenied"]

Files = Mapping[str, Union[str, bytes]]
Json = Dict[str, Any]


# ---- what comes back

@dataclass(frozen=True)
class Why:
    """Why something was refused, in words that a model can act on."""
    layer: str
    rule: str
    what: str
    permanent: bool = True
    retry_after_ms: int = 0
    hint: Optional[str] = None

    @staticmethod
    def of(raw: Optional[Json]) -> Optional["Why"]:
        if not raw:
            return None
        return Why(raw.get("layer", ""), raw.get("rule", ""), raw.get("what", ""),
                   bool(raw.get("permanent", True)), int(raw.get("retry_after_ms") or 0),
                   raw.get("hint"))


class BelljarError(Exception):
    """Everything that this module raises."""


class ApiError(BelljarError):
    """The request was not taken (4xx) or the service cannot serve it (5xx): RFC 9457."""

    def __init__(self, status: int, problem: Json, retry_after: Optional[str] = None):
        self.status = status
        self.code: str = problem.get("code", "unknown")
        self.detail: str = problem.get("detail") or problem.get("title") or f"HTTP {status}"
        self.errors: List[Json] = problem.get("errors") or []
        self.request_id: Optional[str] = problem.get("request_id")
        self.retry_after: Optional[int] = int(retry_after) if (retry_after or "").isdigit() else None
        self.why = Why.of(problem.get("why"))
        where = "; ".join(f"{e.get('pointer', '')}: {e.get('detail', '')}" for e in self.errors)
        super().__init__(f"{status} {self.code}: {self.detail}" + (f" ({where})" if where else ""))


class CallFailed(BelljarError):
    """From raise_for_status(): the call ran and did not succeed, or was killed."""

    def __init__(self, result: "Result"):
        self.result, self.why = result, result.why
        super().__init__(result.error or result.status)


class CallDenied(CallFailed):
    """The call was refused and nothing ran: `why` says by which rule and what would be right."""


@dataclass(frozen=True)
class Result:
    """What happened, as the service tells it; `raw` is the whole answer."""
    raw: Json = field(repr=False)
    success: bool
    status: str
    output: str
    error: Optional[str]
    why: Optional[Why]
    execution_time_ms: float

    @staticmethod
    def of(raw: Json) -> "Result":
        account = raw.get("account") if isinstance(raw.get("account"), dict) else raw
        status = str(raw.get("status", "unknown"))
        output = raw.get("output", raw.get("data"))
        return Result(raw, bool(raw.get("success", status == "success")), status,
                      output if isinstance(output, str) else "", raw.get("error"),
                      Why.of(raw.get("why")), float(account.get("execution_time_ms") or 0))

    @property
    def id(self) -> Optional[str]:
        return self.raw.get("id")

    @property
    def exit_code(self) -> Optional[int]:
        return self._account.get("exit_code")

    @property
    def stdout(self) -> bytes:
        return _stream_bytes(self._account, "stdout")

    @property
    def stderr(self) -> bytes:
        return _stream_bytes(self._account, "stderr")

    @property
    def artifacts(self) -> Dict[str, bytes]:
        """Files that came out, by name."""
        return {a["name"]: base64.b64decode(a["content_base64"])
                for a in self._account.get("artifacts") or [] if a.get("content_base64") is not None}

    @property
    def _account(self) -> Json:
        inner = self.raw.get("account")
        return inner if isinstance(inner, dict) else self.raw

    def raise_for_status(self) -> "Result":
        if self.success:
            return self
        if self.status in ("denied", "permission_denied"):
            raise CallDenied(self)
        raise CallFailed(self)


def _stream_bytes(account: Json, name: str) -> bytes:
    stream = account.get(name) or {}
    data = str(stream.get("data") or "")
    return base64.b64decode(data) if stream.get("encoding") == "base64" else data.encode()


@dataclass(frozen=True)
class Event:
    """One event of a stream: start, stdout, stderr, result, ..."""
    name: str
    data: Json

    @property
    def bytes(self) -> bytes:
        if "data_base64" in self.data:
            return base64.b64decode(self.data["data_base64"])
        return str(self.data.get("data", "")).encode()

    @property
    def text(self) -> str:
        return self.bytes.decode(errors="replace")

    @property
    def result(self) -> Optional[Result]:
        return Result.of(self.data) if self.name == "result" else None


# ---- requests: what both clients share

@dataclass
class _Request:
    method: str
    path: str
    body: Optional[bytes] = None
    headers: Dict[str, str] = field(default_factory=dict)


def _json_request(method: str, path: str, body: Optional[Json] = None, **headers: str) -> _Request:
    if body is None:
        return _Request(method, path, None, dict(headers))
    data = json.dumps({k: v for k, v in body.items() if v is not None}).encode()
    return _Request(method, path, data, {"Content-Type": "application/json", **headers})


def _file_list(files: Optional[Files]) -> Optional[List[Json]]:
    if not files:
        return None
    listed: List[Json] = []
    for path, content in files.items():
        if isinstance(content, str):
            listed.append({"path": path, "content": content})
        else:
            listed.append({"path": path, "content_base64": base64.b64encode(content).decode()})
    return listed


def _execute(tool_name: str, code: Optional[str], options: Json) -> _Request:
    body = {**options, "tool_name": tool_name, "code": code,
            "files": _file_list(options.get("files"))}
    key = body.pop("idempotency_key", None)
    return _json_request("POST", "/v1/execute", body, **({"Idempotency-Key": key} if key else {}))


def _started(tool_name: str, code: Optional[str], options: Json) -> _Request:
    request = _execute(tool_name, code, {**options, "detach": True})
    request.headers["Prefer"] = "respond-async"
    return request


def _tool_call(name: str, arguments: Optional[Json], options: Json) -> _Request:
    body = {**options, "arguments": arguments or {}, "files": _file_list(options.get("files"))}
    key = body.pop("idempotency_key", None)
    return _json_request("POST", f"/v1/tools/{quote(name, safe='')}/call", body,
                         **({"Idempotency-Key": key} if key else {}))


def _id_of(answer: Json) -> str:
    if "status" in answer:  # it has an answer already
        Result.of(answer).raise_for_status()
    return str(answer["id"])


def _query(path: str, **parameters: Any) -> str:
    given = {k: v for k, v in parameters.items() if v is not None}
    return path + ("?" + urlencode(given) if given else "")


def _follow(call_id: str, stream: Optional[str], start: int) -> _Request:
    return _Request("GET", _query(f"/v1/calls/{quote(call_id)}/output", stream=stream,
                                  **({"from": start} if stream else {})))


def _problem(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {}
    return ApiError(status, problem if isinstance(problem, dict) else {},
                    headers.get("retry-after"))


def _answer(status: int, headers: Mapping[str, str], body: bytes) -> Json:
    """The object of an answer.  A rate limit (429) is a refused call with a body of its own."""
    if 200 <= status < 300:
        return json.loads(body) if body else {}
    if status == 429:
        try:
            told = json.loads(body)
        except ValueError:
            told = {}
        if isinstance(told, dict) and isinstance(told.get("status"), str):
            return told
    raise _problem(status, headers, body)


def _event_of(line: bytes) -> Optional[Event]:
    line = line.strip()
    if not line:
        return None
    data = json.loads(line)
    event = Event(str(data.pop("event", "message")), data)
    if event.name == "error":  # it began, and the service could not go on with it
        raise ApiError(int(data.get("status", 500)), data)
    return event


def _service_url(url: Optional[str]) -> SplitResult:
    """What cannot be understood is an error: a key must not go to whoever listens here instead."""
    word = url or os.environ.get("BELLJAR_URL") or "http://127.0.0.1:8640"
    parts = urlsplit(word)
    http_like = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if http_like and parts.path in ("", "/") and not parts.query:
        return parts
    if parts.scheme == "unix" and not parts.netloc and parts.path.startswith("/"):
        return parts
    raise ValueError(f"{word!r} is no url of a service: http://HOST:PORT, https://HOST:PORT or "
                     "unix:///PATH")


# ---- the blocking client

class Belljar:
    """A service at a URL (http://, https:// or unix:///path/to/socket)."""

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None, timeout: float = 120,
                 tls: Optional[ssl.SSLContext] = None):
        self._url = _service_url(url)
        self._key = key or os.environ.get("BELLJAR_KEY")
        self._timeout, self._tls = timeout, tls
        self._idle: Optional[http.client.HTTPConnection] = None

    def close(self) -> None:
        if self._idle:
            self._idle.close()
        self._idle = None

    def __enter__(self) -> "Belljar":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # calls

    def execute(self, tool_name: str, code: Optional[str] = None, **options: Any) -> Result:
        """POST /v1/execute.  Options: arguments, language, limits, files {path: content},
        artifacts [glob], stdin, env, detach, idempotency_key."""
        return Result.of(self._ask(_execute(tool_name, code, options)))

    def call_tool(self, name: str, arguments: Optional[Json] = None, **options: Any) -> Result:
        return Result.of(self._ask(_tool_call(name, arguments, options)))

    def stream(self, tool_name: str, code: Optional[str] = None, **options: Any) -> Iterator[Event]:
        """The same as execute, as it happens.  Leaving the loop early cancels the call."""
        return self._events(_execute(tool_name, code, options))

    def tools(self) -> List[Json]:
        return self._ask(_Request("GET", "/v1/tools"))["tools"]

    def check(self, tool_name: str, code: Optional[str] = None, **options: Any) -> Json:
        """What would be decided, without running anything."""
        request = _execute(tool_name, code, options)
        return self._ask(_Request("POST", "/v1/policy/check", request.body, request.headers))

    def screen(self, **what: Any) -> Json:
        return self._ask(_json_request("POST", "/v1/screen", what))

    def start(self, tool_name: str, code: Optional[str] = None, **options: Any) -> str:
        """execute, but nobody waits: the id of the call, which goes on without us.  A call that is
        refused never began: CallDenied."""
        return _id_of(self._ask(_started(tool_name, code, options)))

    def follow(self, call_id: str, stream: Optional[str] = None, start: int = 0) -> Iterator[Event]:
        """The events of a call, whether it runs or has ended; or those of stdout or stderr only,
        from a byte on.  Leaving the loop early cancels nothing of a call that was started so."""
        return self._events(_follow(call_id, stream, start))

    def call(self, call_id: str) -> Json:
        """What is known of a call: state, and when it is finished its answer."""
        return self._ask(_Request("GET", f"/v1/calls/{quote(call_id)}"))

    def cancel(self, call_id: str) -> None:
        self._ask(_Request("DELETE", f"/v1/calls/{quote(call_id)}"))

    def audit(self, **query: Any) -> Json:
        return self._ask(_Request("GET", _query("/v1/audit", **query)))

    # sessions

    def session(self, tool_name: str, **options: Any) -> "Session":
        """A box that stays.  Options: language, limits, ttl, idle, env, files."""
        options["files"] = _file_list(options.get("files"))
        body = {**options, "tool_name": tool_name}
        return Session(self, self._ask(_json_request("POST", "/v1/sessions", body)))

    def sessions(self) -> List[Json]:
        return self._ask(_Request("GET", "/v1/sessions"))["sessions"]

    # the wire

    def _connect(self) -> http.client.HTTPConnection:
        url = self._url
        if url.scheme == "unix":
            return _UnixConnection(url.path, self._timeout)
        if url.scheme == "https":
            return http.client.HTTPSConnection(url.hostname or "", url.port or 443,
                                               timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(url.hostname or "127.0.0.1", url.port or 80,
                                          timeout=self._timeout)

    def _send(self, r: _Request) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        headers = dict(r.headers)
        if self._key:
            headers["Authorization"] = "Bearer " + self._key
        connection, self._idle = self._idle, None
        reused = connection is not None
        while True:
            connection = connection or self._connect()
            try:
                connection.request(r.method, r.path, r.body, headers)
                return connection, connection.getresponse()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # A connection that was kept may have been closed meanwhile: that is no answer to
                # this request.  Only what changes nothing is asked twice.
                connection.close()
                if not reused or r.method != "GET":
                    raise
                connection, reused = None, False

    def _exchange(self, r: _Request) -> Tuple[int, Dict[str, str], bytes]:
        connection, response = self._send(r)
        try:
            body = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle = connection
        return response.status, {k.lower(): v for k, v in response.getheaders()}, body

    def _ask(self, r: _Request) -> Json:
        return _answer(*self._exchange(r))

    def _octets(self, r: _Request) -> bytes:
        status, headers, body = self._exchange(r)
        if not 200 <= status < 300:
            raise _problem(status, headers, body)
        return body

    def _events(self, r: _Request) -> Iterator[Event]:
        r.headers["Accept"] = "application/x-ndjson"
        connection, response = self._send(r)
        try:
            if response.status != 200:
                headers = {k.lower(): v for k, v in response.getheaders()}
                raise _problem(response.status, headers, response.read())
            for line in response:
                event = _event_of(line)
                if event:
                    yield event
        finally:
            connection.close()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


# ---- sessions: the requests, then both clients

class _SessionRequests:
    def __init__(self, opened: Json):
        self.opened = opened
        self.id: str = opened["id"]
        self._base = f"/v1/sessions/{quote(self.id)}"

    def _exec(self, argv: Union[str, Sequence[str]], options: Json) -> _Request:
        what = {"command": argv} if isinstance(argv, str) else {"argv": list(argv)}
        return _json_request("POST", self._base + "/exec", {**options, **what})

    def _code(self, code: str, language: Optional[str], options: Json) -> _Request:
        return _json_request("POST", self._base + "/code",
                             {**options, "code": code, "language": language})

    def _file(self, method: str, path: str, body: Optional[bytes] = None, **query: Any) -> _Request:
        headers = {"Content-Type": "application/octet-stream"} if body is not None else {}
        return _Request(method, _query(f"{self._base}/files/{quote(path)}", **query), body, headers)

    def _part(self, path: str, offset: int, length: Optional[int]) -> _Request:
        request = self._file("GET", path)
        if offset or length is not None:
            last = "" if length is None else str(offset + length - 1)
            request.headers["Range"] = f"bytes={offset}-{last}"
        return request

    def _exec_input(self, exec_id: str, data: bytes, eof: bool) -> _Request:
        return _Request("POST", _query(f"{self._base}/execs/{quote(exec_id)}/stdin",
                                       eof=1 if eof else None), data,
                        {"Content-Type": "application/octet-stream"})

    def _post(self, word: str, body: Optional[Json] = None) -> _Request:
        return _json_request("POST", f"{self._base}/{word}", body or {})

    def _get(self, word: str = "") -> _Request:
        return _Request("GET", self._base + word)

    def _list(self, path: str) -> _Request:
        if path in ("", "."):
            return _Request("GET", self._base + "/files?list=1")
        return self._file("GET", path, list=1)

    def _kill(self) -> _Request:
        return _Request("DELETE", self._base)

    def _fork(self) -> _Request:
        return _Request("POST", self._base + "/fork")


class Session(_SessionRequests):
    """A box with state, files and processes; ends with kill(), its ttl, or idle time."""

    def __init__(self, jar: Belljar, opened: Json):
        super().__init__(opened)
        self._jar = jar

    def code(self, code: str, language: Optional[str] = None, **options: Any) -> Result:
        return Result.of(self._jar._ask(self._code(code, language, options)))

    def stream_code(self, code: str, language: Optional[str] = None, **options: Any) -> Iterator[Event]:
        return self._jar._events(self._code(code, language, options))

    def exec(self, argv: Union[str, Sequence[str]], **options: Any) -> Result:
        return Result.of(self._jar._ask(self._exec(argv, options)))

    def stream_exec(self, argv: Union[str, Sequence[str]], **options: Any) -> Iterator[Event]:
        return self._jar._events(self._exec(argv, options))

    def send_input(self, exec_id: str, data: bytes, eof: bool = False) -> None:
        self._jar._ask(self._exec_input(exec_id, data, eof))

    def program(self, exec_id: str) -> Json:
        """What is known of one that was started here: state, and its answer when it has ended."""
        return self._jar._ask(self._get(f"/execs/{quote(exec_id)}"))

    def signal(self, exec_id: str, signal: Union[str, int]) -> None:
        self._jar._ask(self._post(f"execs/{quote(exec_id)}/signal", {"signal": signal}))

    def put(self, path: str, data: Union[str, bytes], executable: bool = False) -> Json:
        data = data.encode() if isinstance(data, str) else data
        return self._jar._ask(self._file("PUT", path, data, executable=1 if executable else None))

    def get(self, path: str, offset: int = 0, length: Optional[int] = None) -> bytes:
        return self._jar._octets(self._part(path, offset, length))

    def stat(self, path: str) -> Json:
        return self._jar._ask(self._file("GET", path, stat=1))

    def list(self, path: str = "") -> List[Json]:
        return self._jar._ask(self._list(path))["entries"]

    def remove(self, path: str, recursive: bool = False) -> None:
        self._jar._ask(self._file("DELETE", path, recursive=1 if recursive else None))

    def processes(self) -> List[Json]:
        return self._jar._ask(self._get("/processes"))["processes"]

    def describe(self) -> Json:
        return self._jar._ask(self._get())

    def extend(self, ttl: str) -> Json:
        """It ends that long from now ("30m")."""
        return self._jar._ask(self._post("extend", {"ttl": ttl}))

    def fork(self) -> "Session":
        """A session of its own with the same Python variables and files; nothing may run meanwhile."""
        return Session(self._jar, self._jar._ask(self._fork()))

    def kill(self) -> None:
        self._jar._ask(self._kill())

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.kill()
        except ApiError as error:
            if error.status not in (404, 410):  # it has ended by itself
                raise


# ---- the asyncio client: a small HTTP/1.1 of its own, one connection per request

class _Head:
    def __init__(self, status: int, headers: Dict[str, str]):
        self.status, self.headers = status, headers


async def _read_head(reader: asyncio.StreamReader) -> _Head:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    version, status, *_ = lines[0].split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise BelljarError("that is no HTTP/1.1 answer")
    pairs = (line.partition(":") for line in lines[1:] if line)
    return _Head(int(status), {name.strip().lower(): value.strip() for name, _, value in pairs})


async def _chunks(reader: asyncio.StreamReader, head: _Head) -> AsyncIterator[bytes]:
    if head.headers.get("transfer-encoding", "").lower() == "chunked":
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            data = await reader.readexactly(size + 2)
            if size == 0:
                return
            yield data[:-2]
    elif "content-length" in head.headers:
        yield await reader.readexactly(int(head.headers["content-length"]))
    elif head.status != 204:
        yield await reader.read()


class AsyncBelljar:
    """Belljar for asyncio: the same methods, awaited."""

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None, timeout: float = 120,
                 tls: Optional[ssl.SSLContext] = None):
        self._url = _service_url(url)
        self._key = key or os.environ.get("BELLJAR_KEY")
        self._timeout, self._tls = timeout, tls

    async def execute(self, tool_name: str, code: Optional[str] = None, **options: Any) -> Result:
        return Result.of(await self._ask(_execute(tool_name, code, options)))

    async def call_tool(self, name: str, arguments: Optional[Json] = None, **options: Any) -> Result:
        return Result.of(await self._ask(_tool_call(name, arguments, options)))

    def stream(self, tool_name: str, code: Optional[str] = None, **options: Any) -> AsyncIterator[Event]:
        return self._events(_execute(tool_name, code, options))

    async def tools(self) -> List[Json]:
        return (await self._ask(_Request("GET", "/v1/tools")))["tools"]

    async def check(self, tool_name: str, code: Optional[str] = None, **options: Any) -> Json:
        request = _execute(tool_name, code, options)
        return await self._ask(_Request("POST", "/v1/policy/check", request.body, request.headers))

    async def screen(self, **what: Any) -> Json:
        return await self._ask(_json_request("POST", "/v1/screen", what))

    async def start(self, tool_name: str, code: Optional[str] = None, **options: Any) -> str:
        return _id_of(await self._ask(_started(tool_name, code, options)))

    def follow(self, call_id: str, stream: Optional[str] = None,
               start: int = 0) -> AsyncIterator[Event]:
        return self._events(_follow(call_id, stream, start))

    async def call(self, call_id: str) -> Json:
        return await self._ask(_Request("GET", f"/v1/calls/{quote(call_id)}"))

    async def cancel(self, call_id: str) -> None:
        await self._ask(_Request("DELETE", f"/v1/calls/{quote(call_id)}"))

    async def audit(self, **query: Any) -> Json:
        return await self._ask(_Request("GET", _query("/v1/audit", **query)))

    async def session(self, tool_name: str, **options: Any) -> "AsyncSession":
        options["files"] = _file_list(options.get("files"))
        body = {**options, "tool_name": tool_name}
        return AsyncSession(self, await self._ask(_json_request("POST", "/v1/sessions", body)))

    async def sessions(self) -> List[Json]:
        return (await self._ask(_Request("GET", "/v1/sessions")))["sessions"]

    # the wire

    async def _open(self) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        url, limit = self._url, 16 << 20
        if url.scheme == "unix":
            return await asyncio.open_unix_connection(url.path, limit=limit)
        tls = (self._tls or ssl.create_default_context()) if url.scheme == "https" else None
        port = url.port or (443 if tls else 80)
        return await asyncio.open_connection(url.hostname, port, ssl=tls, limit=limit)

    def _bytes(self, r: _Request) -> bytes:
        host = "localhost" if self._url.scheme == "unix" else self._url.netloc
        headers = {"Host": host, "Connection": "close", **r.headers}
        if self._key:
            headers["Authorization"] = "Bearer " + self._key
        if r.body is not None or r.method in ("POST", "PUT"):
            headers["Content-Length"] = str(len(r.body or b""))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        if any(c in head.replace("\r\n", "") for c in "\r\n\0"):
            raise ValueError("a header has a line break in it")
        return f"{r.method} {r.path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (r.body or b"")

    async def _exchange(self, r: _Request) -> Tuple[int, Dict[str, str], bytes]:
        async def talk() -> Tuple[int, Dict[str, str], bytes]:
            reader, writer = await self._open()
            try:
                writer.write(self._bytes(r))
                await writer.drain()
                head = await _read_head(reader)
                body = b"".join([chunk async for chunk in _chunks(reader, head)])
                return head.status, head.headers, body
            finally:
                writer.close()
        return await asyncio.wait_for(talk(), self._timeout)

    async def _ask(self, r: _Request) -> Json:
        return _answer(*await self._exchange(r))

    async def _octets(self, r: _Request) -> bytes:
        status, headers, body = await self._exchange(r)
        if not 200 <= status < 300:
            raise _problem(status, headers, body)
        return body

    async def _events(self, r: _Request) -> AsyncIterator[Event]:
        r.headers["Accept"] = "application/x-ndjson"
        reader, writer = await self._open()
        try:
            writer.write(self._bytes(r))
            await writer.drain()
            head = await asyncio.wait_for(_read_head(reader), self._timeout)
            held = b""
            async for chunk in _chunks(reader, head):
                held += chunk
                if head.status != 200:
                    continue
                *lines, held = held.split(b"\n")
                for line in lines:
                    event = _event_of(line)
                    if event:
                        yield event
            if head.status != 200:
                raise _problem(head.status, head.headers, held)
        finally:
            writer.close()


class AsyncSession(_SessionRequests):
    """Session for asyncio."""

    def __init__(self, jar: AsyncBelljar, opened: Json):
        super().__init__(opened)
        self._jar = jar

    async def code(self, code: str, language: Optional[str] = None, **options: Any) -> Result:
        return Result.of(await self._jar._ask(self._code(code, language, options)))

    def stream_code(self, code: str, language: Optional[str] = None,
                    **options: Any) -> AsyncIterator[Event]:
        return self._jar._events(self._code(code, language, options))

    async def exec(self, argv: Union[str, Sequence[str]], **options: Any) -> Result:
        return Result.of(await self._jar._ask(self._exec(argv, options)))

    def stream_exec(self, argv: Union[str, Sequence[str]], **options: Any) -> AsyncIterator[Event]:
        return self._jar._events(self._exec(argv, options))

    async def send_input(self, exec_id: str, data: bytes, eof: bool = False) -> None:
        await self._jar._ask(self._exec_input(exec_id, data, eof))

    async def program(self, exec_id: str) -> Json:
        return await self._jar._ask(self._get(f"/execs/{quote(exec_id)}"))

    async def signal(self, exec_id: str, signal: Union[str, int]) -> None:
        await self._jar._ask(self._post(f"execs/{quote(exec_id)}/signal", {"signal": signal}))

    async def put(self, path: str, data: Union[str, bytes], executable: bool = False) -> Json:
        data = data.encode() if isinstance(data, str) else data
        return await self._jar._ask(self._file("PUT", path, data, executable=1 if executable else None))

    async def get(self, path: str, offset: int = 0, length: Optional[int] = None) -> bytes:
        return await self._jar._octets(self._part(path, offset, length))

    async def stat(self, path: str) -> Json:
        return await self._jar._ask(self._file("GET", path, stat=1))

    async def list(self, path: str = "") -> List[Json]:
        return (await self._jar._ask(self._list(path)))["entries"]

    async def remove(self, path: str, recursive: bool = False) -> None:
        await self._jar._ask(self._file("DELETE", path, recursive=1 if recursive else None))

    async def processes(self) -> List[Json]:
        return (await self._jar._ask(self._get("/processes")))["processes"]

    async def describe(self) -> Json:
        return await self._jar._ask(self._get())

    async def extend(self, ttl: str) -> Json:
        return await self._jar._ask(self._post("extend", {"ttl": ttl}))

    async def fork(self) -> "AsyncSession":
        return AsyncSession(self._jar, await self._jar._ask(self._fork()))

    async def kill(self) -> None:
        await self._jar._ask(self._kill())

    async def __aenter__(self) -> "AsyncSession":
        return self

    async def __aexit__(self, *_: Any) -> None:
        try:
            await self.kill()
        except ApiError as error:
            if error.status not in (404, 410):
                raise
