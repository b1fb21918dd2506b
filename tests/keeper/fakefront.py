# SPDX-License-Identifier: Apache-2.0
"""fakefront.py - plays the front and the supervisor: starts keeper, warden and scribe, speaks keeptalk.

The layout of the structs is that of src/keeper/keeptalk.h and src/lib/wardentalk.h.
"""
import array
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time

MAGIC, VERSION, INLINE = 0x706B6C62, 7, 32 * 1024
REQUEST = struct.Struct("<4I5Q4I128s128s128s1024s40s")
COUNTS = 8
REPLY = struct.Struct("<4I3Q4I2Q40s4I8I14Q" + "48sQ" * 2 * COUNTS + "128s128s")
SEALS = 0x0002 | 0x0004 | 0x0008  # shrink, grow, write
F_ADD_SEALS = 1033
ASKS = ("none call check screen tools input signal cancel open exec code file_put file_get "
        "file_stat file_list file_remove processes describe extend close fork stir").split()
SAYS = "none ready begun output answer over".split()
CONTROL = struct.Struct("<4I")
WARDEN_MAGIC, WARDEN_VERSION, WARDEN_KEEPER = 0x77626A6C, 1, 1
STATUS = "unknown denied success error timeout resource_exceeded".split()
FACTS = ("status kill_reason decision ran judged layer start wanted setup_us run_us path_us cpu_us memory_peak_bytes "
         "output_bytes cut_bytes redactions findings records last_index interpreter_age_us interpreters forked").split()


def text(raw):
    return raw.split(b"\0", 1)[0].decode()


class Reply:
    def __init__(self, raw, body, stream=None):
        got = REPLY.unpack(raw)
        self.stream_end = stream
        (_, _, kind, self.stream, self.serial, _, self.offset, self.http, content, self.retry,
         self.detach, self.range_from, self.range_total, ident, self.usable_slot, self.start_len, self.has_stream,
         self.place) = got[:18]
        self.kind, self.content, self.id = SAYS[kind], content, text(ident)
        self.facts = dict(zip(FACTS, got[18:]))
        self.facts["tool"], self.facts["rule"] = text(got[-2]), text(got[-1])
        named = [(text(got[i]), got[i + 1]) for i in range(len(got) - 2 - 4 * COUNTS, len(got) - 2, 2)]
        self.facts["redacted"], self.facts["found"] = (
            {name: n for name, n in part if name} for part in (named[:COUNTS], named[COUNTS:]))
        self.body, self.start = body[:len(body) - self.start_len], body[len(body) - self.start_len:]

    def json(self):
        return json.loads(self.body)


class Keeper:
    """A keeper with a directory, a policy, a state and a log of its own."""

    def __init__(self, gate, belljar, scribe, policy=None, uid=None, more=(), start_scribe=True,
                 warden=True, ceiling=None):
        self.dir = tempfile.mkdtemp(prefix="belljar-keeper-", dir="/var/tmp")
        self.scribe_program, self.uid, self.serial = scribe, uid, 0
        self.scribe = self.process = self.warden = self.control = None
        self.gate, self.belljar = gate, belljar
        self.policy = None
        if policy is not None:
            self.policy = f"{self.dir}/policy.yaml"
            with open(self.policy, "w", encoding="utf-8") as out:
                out.write(policy)
        os.makedirs(f"{self.dir}/state", 0o700)
        os.makedirs(f"{self.dir}/audit", 0o700)
        if uid:
            for name in ("", "/state", "/audit") + (("/policy.yaml",) if policy else ()):
                os.chown(self.dir + name, uid, uid)
        if start_scribe:
            self.start_scribe()
        self.sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = [gate, "keeper", "--front", str(theirs.fileno()), "--state", f"{self.dir}/state",
                 "--audit", f"{self.dir}/audit"]
        words += ["--policy", self.policy] if self.policy else []
        fds = [theirs.fileno()]
        self.errors = open(f"{self.dir}/stderr", "wb")
        if warden:
            asking = self.start_warden(ceiling)
            words += ["--warden", str(asking.fileno())]
            fds.append(asking.fileno())
        else:
            words += ["--helper", belljar]
        self.process = subprocess.Popen(
            words + list(more), pass_fds=fds, **self.as_user(), env={"PATH": "/usr/bin:/bin", "HOME": self.dir}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.errors)
        theirs.close()
        if warden:
            asking.close()
        self.sock.settimeout(60)

    def as_user(self):
        return {"user": self.uid, "group": self.uid, "extra_groups": [] if self.uid else None}

    def start_warden(self, ceiling=None):
        """Returns the keeper's end of its socket to the warden."""
        if ceiling is None:
            words = [self.gate, "view"] + (["--policy", self.policy] if self.policy else [])
            env = {"PATH": "/usr/bin:/bin", "HOME": self.dir}
            view = subprocess.run(words, check=True, capture_output=True, env=env,
                                  **self.as_user()).stdout
            ceiling = json.loads(view)["ceiling"]
        self.control, control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        fd = os.memfd_create("ceiling")
        os.write(fd, ceiling.encode())
        self.warden = subprocess.Popen(
            [self.belljar, "warden", "--control", str(control.fileno()), "--ceiling", str(fd)],
            pass_fds=[control.fileno(), fd], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.errors, **self.as_user())
        control.close()
        os.close(fd)
        asking, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(self.control, [CONTROL.pack(WARDEN_MAGIC, WARDEN_VERSION, WARDEN_KEEPER, 0)],
                        [asked.fileno()])
        asked.close()
        return asking

    def slots(self):
        pid = self.warden.pid if self.warden else self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(p) for p in f.read().split()]

    def start_scribe(self):
        self.scribe = subprocess.Popen(
            [self.scribe_program, "--stay", f"{self.dir}/audit"], stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, **self.as_user())
        until = time.monotonic() + 60
        while not os.path.exists(f"{self.dir}/audit/scribe.socket"):
            if time.monotonic() > until:
                raise AssertionError("no scribe")
            time.sleep(0.01)

    def stop_scribe(self):
        if self.scribe:
            self.scribe.kill()
            self.scribe.wait()
            self.scribe = None

    def said(self):
        with open(f"{self.dir}/stderr", "rb") as errors:
            return errors.read().decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.warden:
            self.control.close()
            try:
                self.warden.wait(30)
            except subprocess.TimeoutExpired:
                self.warden.kill()
                self.warden.wait()
        self.stop_scribe()
        self.errors.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    # Messages.

    def send(self, ask, body=b"", *, serial=None, target=0, shape=0, number=0, origin=0,
             client="local", tool="", path="", uid=None, request_id="req-1", ident="", stream=None, follows=1,
             alone=0):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        elif isinstance(body, str):
            body = body.encode()
        if serial is None:
            self.serial += 1
            serial = self.serial
        head = REQUEST.pack(
            MAGIC, VERSION, ASKS.index(ask), shape, serial, target, len(body), origin, number,
            0 if uid is None else 1, uid or 0, follows, alone, client.encode(), request_id.encode(), tool.encode(),
            path.encode(), ident.encode())
        self.send_raw(head, body, [] if stream is None else [stream])
        return serial

    def send_raw(self, head, body, beside=()):
        if len(body) <= INLINE:
            socket.send_fds(self.sock, [head + body], list(beside))
            return
        fd = os.memfd_create("body", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(fd, body) if len(body) < 1 << 30 else None
        fcntl.fcntl(fd, F_ADD_SEALS, SEALS)
        socket.send_fds(self.sock, [head], [fd, *beside])
        os.close(fd)

    def take(self):
        """The next reply; None: the keeper is gone."""
        fds = array.array("i")
        raw, control, _, _ = self.sock.recvmsg(REPLY.size + INLINE, socket.CMSG_SPACE(8))
        if not raw:
            return None
        for _, _, data in control:
            fds.frombytes(data[:len(data) // 4 * 4])
        body = raw[REPLY.size:]
        stream = fds.pop() if REPLY.unpack(raw[:REPLY.size])[16] else None
        for fd in fds:
            with os.fdopen(fd, "rb") as file:
                file.seek(0)
                body = file.read()
        return Reply(raw[:REPLY.size], body, stream)

    def wait(self, serial, seen=None):
        """The answer to serial; what comes before it is added to seen."""
        while True:
            r = self.take()
            if r is None:
                raise AssertionError("the keeper is gone: " + self.said())
            if r.kind == "answer" and r.serial == serial:
                return r
            if seen is not None:
                seen.append(r)

    def ask(self, ask, body=b"", seen=None, **more):
        return self.wait(self.send(ask, body, **more), seen)

    def ready(self):
        r = self.take()
        if r is None or r.kind != "ready":
            raise AssertionError("not ready: " + self.said())
        return r
