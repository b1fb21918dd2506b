# SPDX-License-Identifier: Apache-2.0
"""escape_host.py - the host that the hostile programs attack, and the two ways to run them.

A program runs in a box (box()) or without one (bare()).  Around both stand the same baits: a
secret file, a secret in the environment, open descriptors, a key, services on every kind of
socket, a process to kill.  Whoever can read the bait without a box and not with one has met the
wall and nothing else.
"""

import contextlib
import ctypes
import json
import os
import secrets
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

WORD = b"belljar-bait"
DEGRADED = "memory,processes,cpu"
PATIENCE_S = 20


class Skip(Exception):
    """This host cannot show it; the reason is the message."""


class Fail(Exception):
    """The wall did not hold, or the test could not see it hold."""


class Result:
    """How one program ended: its exit code (None: a signal) and what it said."""

    def __init__(self, code, output, seconds, account=None):
        self.code = code
        self.output = output
        self.seconds = seconds
        self.account = account

    def __str__(self):
        text = f"exit code {self.code}: {self.output.strip()}"
        if self.account:
            a = self.account
            text += f" [{a['status']}, signal {a['signal']}, killed for {a['kill_reason']}"
            text += f", error {a['error']}, stderr {a['stderr']['data'][:300]!r}]"
        return text


def need_layer(result, layer):
    state = result.account["layers"].get(layer, {}).get("state")
    if state != "full":
        raise Skip(f"the layer {layer} is {state} here")


class Bait:
    """Services that say WORD to whoever reaches them; one thread, all sockets."""

    def __init__(self, directory):
        self.abstract = "belljar-escape-" + secrets.token_hex(8)
        self.path = os.path.join(directory, "socket")
        self.selector = selectors.DefaultSelector()
        self.ports = {}
        self.listen("tcp", socket.AF_INET, "127.0.0.1")
        self.listen("udp", socket.AF_INET, "127.0.0.1")
        with contextlib.suppress(OSError):
            self.listen("tcp6", socket.AF_INET6, "::1")
        self.add(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.abstract)
        self.add(socket.AF_UNIX, socket.SOCK_STREAM, self.path)
        os.chmod(self.path, 0o777)
        threading.Thread(target=self.serve, daemon=True).start()

    def listen(self, name, family, address):
        kind = socket.SOCK_DGRAM if name == "udp" else socket.SOCK_STREAM
        self.ports[name] = self.add(family, kind, (address, 0)).getsockname()[1]

    def add(self, family, kind, address):
        sock = socket.socket(family, kind)
        sock.bind(address)
        if kind == socket.SOCK_STREAM:
            sock.listen(16)
        self.selector.register(sock, selectors.EVENT_READ, kind)
        return sock

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                with contextlib.suppress(OSError):
                    self.answer(key.fileobj, key.data)

    @staticmethod
    def answer(sock, kind):
        if kind == socket.SOCK_DGRAM:
            _, who = sock.recvfrom(100)
            sock.sendto(WORD, who)
            return
        with sock.accept()[0] as caller:
            caller.sendall(WORD)


class Host:
    """Where the tests run; mode is "root" or "user"."""

    def __init__(self, mode, belljar, built):
        self.mode = mode
        self.belljar = belljar
        self.is_root = os.geteuid() == 0
        # Nobody on this machine has it, and it is below the range that boxes take theirs from.
        self.uid = 1999000000 + os.getpid() % 900000 if self.is_root else os.getuid()
        # Not in /tmp: the box has one of its own, and listed programs must be seen where they are.
        place = "/opt" if self.is_root else os.path.expanduser("~")
        self.top = tempfile.mkdtemp(prefix="belljar-escape-", dir=place)
        self.in_tmp = tempfile.mkdtemp(prefix="belljar-escape-", dir="/tmp")
        os.chmod(self.top, 0o755)
        os.chmod(self.in_tmp, 0o755)
        self.write(os.path.join(self.in_tmp, "secret"), WORD)
        self.bin = self.directory("bin")
        for name in os.listdir(built):
            path = os.path.join(built, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                shutil.copy(path, self.bin)
        self.own = self.directory("own", self.uid)  # the caller's current directory
        self.roots = self.directory("roots")
        self.secret = os.path.join(self.directory("private", self.uid), "secret")
        self.write(self.secret, WORD)
        self.bait = Bait(self.directory("run"))
        self.variable = secrets.token_hex(8), secrets.token_hex(8)
        self.env = dict(os.environ, BELLJAR_ESCAPE="".join(self.variable))
        self.states = {"root": self.directory("state-root"),
                       "user": self.directory("state-user", self.uid)}
        self.leaks = self.leave_descriptors_open()
        self.key = self.leave_key()
        self.waiting = None
        self.options = []

    def directory(self, name, owner=None):
        path = os.path.join(self.top, name)
        os.mkdir(path, 0o755)
        if owner is not None and self.is_root:
            os.chown(path, owner, owner)
        return path

    def write(self, path, data, mode=0o644, owner=None):
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        if owner is not None and self.is_root:
            os.chown(path, owner, owner)

    def leave_descriptors_open(self):
        """A directory, a socket and a file at odd numbers, for every program we start."""
        here = os.open(os.path.dirname(self.secret), os.O_RDONLY)
        file = os.open(self.secret, os.O_RDONLY)
        sock, self.other_end = socket.socketpair()
        numbers = {here: 205, sock.detach(): 264, file: 777}
        for fd, number in numbers.items():
            os.dup2(fd, number)
        return tuple(numbers.values())

    @staticmethod
    def leave_key():
        """A key in a session keyring of our own, which our children possess."""
        numbers = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine)
        if not numbers:
            return None
        libc = ctypes.CDLL(None, use_errno=True)
        name = b"belljar-escape-" + secrets.token_hex(4).encode()
        if libc.syscall(numbers[1], 1, None) < 0:  # KEYCTL_JOIN_SESSION_KEYRING
            return None
        key = libc.syscall(numbers[0], b"user", name, WORD, len(WORD), ctypes.c_int(-3))
        return name.decode() if key >= 0 else None

    # --- running ---------------------------------------------------------------------------------

    def as_user(self):
        if not self.is_root:
            return {}
        return {"user": self.uid, "group": self.uid, "extra_groups": []}

    def popen(self, argv, who, **more):
        """Who: "root" or "user".  A session of its own: no terminal, no group of ours."""
        if who == "root" and not self.is_root:
            raise Skip("needs root to be shown")
        setting = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "cwd": self.own if who == "user" else self.roots,
            "env": dict(self.env, BELLJAR_STATE=self.states[who]),
            "pass_fds": self.leaks,
            "start_new_session": True,
        }
        if who == "user":
            setting.update(self.as_user())
        setting.update(more)
        return subprocess.Popen(argv, **setting)

    def finish(self, process, patience=PATIENCE_S):
        try:
            return process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            self.give_up(process)
            raise Fail(f"hangs: {' '.join(map(str, process.args))}") from None

    @staticmethod
    def give_up(process):
        """It and its session's group; whoever else holds the pipes is not waited for."""
        process.kill()
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=2)

    def run(self, argv, who, **more):
        start = time.monotonic()
        process = self.popen(argv, who, **more)
        out, err = self.finish(process)
        text = ((out or b"") + (err or b"")).decode(errors="replace")
        code = process.returncode
        return Result(code if code >= 0 else None, text, time.monotonic() - start)

    def bare(self, program, args, kind, **more):
        """Without the wall.  Kinds, beside the two plain ones:
        init:   in namespaces of its own where pid 1 is a shell, as other sandboxes have it
        rooted: the same, made by root
        alone:  the same, but the program itself is pid 1
        mounts: in a mount namespace of its own, with all rights there
        owner:  with all rights over namespaces of its own
        adjusted: marked as the one to kill when memory is short, as a box is"""
        argv = [os.path.join(self.bin, program), *map(str, args)]
        who = "root" if kind in ("root", "rooted") else "user"
        shell = ["sh", "-c", '"$@"; exit $?', "sh"]
        prefix = {
            "root": [],
            "user": [],
            "init": ["unshare", "-Urpf", "--mount-proc", "--kill-child", *shell],
            "alone": ["unshare", "-Urpf", "--mount-proc", "--kill-child"],
            "rooted": ["unshare", "-mpf", "--mount-proc", "--kill-child", *shell],
            "mounts": ["unshare", "-Urm"],
            "owner": ["unshare", "-Urmnui"],
            "adjusted": ["sh", "-c", 'echo 500 >/proc/self/oom_score_adj; exec "$@"', "sh"],
        }[kind]
        return self.run(prefix + argv, who, **more)

    def belljar_argv(self, options, command):
        return [self.belljar, "run", *self.options, *options, "--", *map(str, command)]

    def box_who(self):
        return "root" if self.mode == "root" else "user"

    def box(self, command, options=(), **more):
        """In a box; the truth is in the account."""
        argv = self.belljar_argv(["--json", *options], command)
        start = time.monotonic()
        process = self.popen(argv, self.box_who(), **more)
        out, err = self.finish(process)
        return self.read_account(process, out, err, time.monotonic() - start)

    @staticmethod
    def read_account(process, out, err, seconds=0.0):
        try:
            account = json.loads(out)
        except ValueError:
            said = (out + (err or b"")).decode(errors="replace")[:1000]
            raise Fail(f"no account; belljar ended with {process.returncode}: {said}") from None
        return Result(account["exit_code"], account["stdout"]["data"], seconds, account)

    def attack(self, program, args, options=(), **more):
        """One of our programs in a box, seen there in /escape."""
        options = ["--read", f"{self.bin}:/escape", *options]
        return self.box([f"/escape/{program}", *args], options, **more)

    # --- things to attack ------------------------------------------------------------------------

    @contextlib.contextmanager
    def victim(self, **more):
        """A process of the caller's that waits; ends with us at the latest."""
        marker = "victim-" + secrets.token_hex(8)
        process = self.popen(["sh", "-c", "read x", marker], "user", stdin=subprocess.PIPE,
                             pass_fds=(), **more)
        process.marker = marker
        time.sleep(0.01)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    @staticmethod
    def processes_with(marker):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if marker.encode() in file.read() and int(pid) != os.getpid():
                        found.append(int(pid))
        return found

    def end_processes_with(self, marker):
        for pid in self.processes_with(marker):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    # --- start and end ---------------------------------------------------------------------------

    def find_options(self):
        """Does a box start at all?  Where limits cannot be had, the user must say so."""
        first = self.box(["true"])
        if first.account["success"]:
            return first
        self.options = ["--allow-degraded", DEGRADED]
        second = self.box(["true"])
        if not second.account["success"]:
            raise Fail(f"no box starts: {first}; with {self.options}: {second}")
        return second

    def close(self):
        if self.waiting:
            self.waiting.communicate()
        for path in (self.top, self.in_tmp):
            shutil.rmtree(path, ignore_errors=True)
