#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# fakezygote.py - a zygote without a box: src/warm/zygote.py with the extension that seals nothing.
import array
import os
import socket
import subprocess
import threading

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
        ext = os.open(extension, os.O_RDONLY)
        with open(SOURCE, encoding="utf-8") as f:
            text = f.read()
        self.process = subprocess.Popen(
            [python, "-c", text, str(ext), str(inside.fileno()), *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=(ext, inside.fileno()), env=self.env, cwd="/")
        inside.close()
        os.close(ext)

    def send(self, fds, argv, env, cwd):
        words = [cwd, str(len(argv)), *argv, *("%s=%s" % pair for pair in env.items())]
        data = b"".join(os.fsencode(w) + b"\0" for w in words)
        self.control.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])

    def call(self, argv, cwd, stdin=b"", env=None):
        """(stdout, stderr, status as from subprocess)"""
        pipes = [os.pipe() for _ in range(3)]
        self.send([pipes[0][0], pipes[1][1], pipes[2][1]], [self.python, *argv], env or self.env, cwd)
        for fd in (pipes[0][0], pipes[1][1], pipes[2][1]):
            os.close(fd)
        out = {}

        def drain(i):
            with open(pipes[i][0], "rb") as f:
                out[i] = f.read()

        readers = [threading.Thread(target=drain, args=(i,)) for i in (1, 2)]
        for t in readers:
            t.start()
        try:
            os.write(pipes[0][1], stdin)
        except BrokenPipeError:
            pass
        os.close(pipes[0][1])
        status = self.control.recv(65536)
        for t in readers:
            t.join()
        if len(status) != 4:
            raise RuntimeError(status.decode("utf-8", "replace") or "the zygote is gone")
        return out[1], out[2], os.waitstatus_to_exitcode(int.from_bytes(status, "little"))

    def close(self):
        self.control.close()
        self.process.communicate()


def cold(python, argv, cwd, stdin=b"", env=None):
    done = subprocess.run([python, *argv], cwd=cwd, input=stdin, capture_output=True, env=env or STANDARD, timeout=100)
    return done.stdout, done.stderr, done.returncode
