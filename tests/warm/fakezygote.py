#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# fakezygote.py - a zygote without a box: src/warm/zygote.py with the extension that seals nothing.
import array
import os
import socket
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "src", "warm", "zygote.py")
STANDARD = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    "HOME": "/work",
    "USER": "user",
    "LOGNAME": "user",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
    "PYTHONUNBUFFERED": "1",
}


class Fake:
    """One waiting interpreter; call() is one program in a child of it."""

    def __init__(self, extension, python="/usr/bin/python3", modules=(), env=None):
        self.python = python
        self.env = dict(STANDARD if env is None else env)
        self.control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(60)
        with open(SOURCE, encoding="utf-8") as f:
            text = f.read()
        self.process = subprocess.Popen(
            [python, "-c", text, os.path.abspath(extension), str(inside.fileno()), *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=(inside.fileno(),), env=self.env, cwd="/")
        inside.close()

    def send(self, fds, argv, env, cwd):
        words = [cwd, str(len(argv)), *argv, *("%s=%s" % pair for pair in env.items())]
        data = b"".join(os.fsencode(w) + b"\0" for w in words)
        self.control.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])

    def status(self):
        """How the call ended, as subprocess says it."""
        data = self.control.recv(65536)
        if len(data) != 4:
            raise RuntimeError(data.decode("utf-8", "replace") or "the zygote is gone")
        return os.waitstatus_to_exitcode(int.from_bytes(data, "little"))

    def close(self):
        self.control.close()
        self.process.communicate()

