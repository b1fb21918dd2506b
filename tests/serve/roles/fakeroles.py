#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""fakeroles.py - every role of the service as the supervisor sees it, and nothing behind it.

Copied under the name of each program into a directory; files there say how it behaves:
NAME.fail (exits at once with what is in it), view.json, view.wait, nursery.how.  Each says in starts/ROLE.PID that it runs.
"""
import ctypes
import os
import select
import signal
import socket
import struct
import sys
import time

HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
ERROR_ROOM = 4 + 4 + 504
ROLE = struct.Struct("=IIIIQ256s")
ROLE_MAGIC = 0x726C6562
WANT_KEEPER, RELOAD, DRAINED, VIEW, KEEPER, READER, DRAIN, STATE, TLS, RELOADED, \
    NOT_RELOADED = range(1, 12)


def is_there(name):
    return os.path.exists(os.path.join(HERE, name))


def note(role, text=""):
    path = os.path.join(HERE, "starts", "%s.%d" % (role, os.getpid()))
    with open(path + ".new", "w") as out:
        out.write(text)
    os.rename(path + ".new", path)


def begin(role):
    fail = os.path.join(HERE, role + ".fail")
    if os.path.exists(fail):
        sys.stderr.write("%s fails \x1b[31mred\n" % role)
        with open(os.path.join(HERE, "failures"), "a") as out:
            out.write("%s %f\n" % (role, time.monotonic()))
        sys.exit(int(open(fail).read() or "1"))
    fds = sorted(int(fd) for fd in os.listdir("/proc/self/fd"))
    note(role, "%s\n%s\n%s" % (" ".join(sys.argv[1:]), " ".join(map(str, fds)),
                               " ".join(sorted(os.environ))))


def wait_for_end(*fds):
    select.select(fds, [], [])


def warden():
    begin("warden")
    control = socket.socket(fileno=3)
    assert os.read(4, 100).startswith(b"slots")
    control.send(struct.pack("=IIII", 0x77626A6C, 1, 1, 0) + bytes(ERROR_ROOM))
    n = 0
    while True:
        data, fds, _, _ = socket.recv_fds(control, 64, 4)
        if not data:
            return
        kind = struct.unpack("=IIII", data[:16])[2]
        if kind == 3:  # does it hear?
            control.send(struct.pack("=IIII", 0x77626A6C, 1, 0, 1) + bytes(ERROR_ROOM))
            continue
        if kind == 2:
            control.send(struct.pack("=IIII", 0x77626A6C, 1, 1, 0) + bytes(ERROR_ROOM))
        n += kind == 1
        note("warden", "keepers %d" % n)
        globals().setdefault("kept", []).extend(fds)


def scribe():
    begin("scribe")
    kind = 3 if is_there("scribe.busy") else 1
    size = 24 + 8 + 32 + 4 + ERROR_ROOM
    size += -size % 8
    os.write(3, struct.pack("=IIIIQ", 0x65626373, 2, size, kind, 0) + bytes(size - 24))
    if kind == 3:
        sys.exit(125)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    wait_for_end(3)


def send(sock, word, number=0):
    sock.send(ROLE.pack(ROLE_MAGIC, 2, word, 0, number, b""))


def front():
    begin("front")
    sock, door = socket.socket(fileno=3), socket.socket(fileno=4)
    state, keepers, views, reloads = 0, {}, 0, 0  # keepers: 1, it is for a session
    while True:
        ready, _, _ = select.select([sock, door, *keepers], [], [])
        for one in [k for k in ready if k in keepers]:
            send(sock, WANT_KEEPER, keepers.pop(one))
        if sock in ready:
            data, fds, _, _ = socket.recv_fds(sock, ROLE.size, 1)
            if not data:
                return
            _, _, word, generation, number, _ = ROLE.unpack(data)
            if word == VIEW:
                assert os.pread(fds[0], 1, 0) == b"{"
                if not views:
                    send(sock, WANT_KEEPER)
                    send(sock, WANT_KEEPER, 1)
                views = generation
            elif word == KEEPER and fds:
                keepers[socket.socket(fileno=fds.pop())] = number
            elif word == KEEPER:
                send(sock, WANT_KEEPER, number)
            elif word == READER:
                reader = fds.pop()  # noqa: F841, held
            elif word == STATE:
                state = number
            elif word in (RELOADED, NOT_RELOADED):
                text = os.pread(fds[0], 9000, 0).decode() if fds else ""
                with open(os.path.join(HERE, "reloads"), "a") as out:
                    out.write("%s %d %d %s\n" % (word == RELOADED, number, views, text))
            elif word == DRAIN:
                if not is_there("front.stuck"):
                    send(sock, DRAINED)
            for fd in fds:
                os.close(fd)
        if door in ready:
            client, _ = door.accept()
            word = client.recv(16)
            if word == b"reload":
                reloads += 1
                send(sock, RELOAD, reloads)
            if word == b"flood":
                for _ in range(200):
                    send(sock, WANT_KEEPER)
            client.sendall(b"%d %d %d %d" % (os.getpid(), state, len(keepers), views))
            client.close()


def keeper():
    begin("keeper")
    wait_for_end(3, 4)


def copy(how, fds, makes_template=False):
    """As the nursery does: a child of its parent, or else of its own."""
    if how == "foreign":
        pid = os.fork()
    else:
        pid = ctypes.CDLL(None).syscall(56, 0x8000 | signal.SIGCHLD, 0, 0, 0, 0)  # clone, CLONE_PARENT
    if pid:
        return pid
    if makes_template:
        os._exit(0)  # sessions do without
    os.close(3)
    note("keeper", "a copy of " + how)
    wait_for_end(*fds[:2])
    os._exit(0)


def nursery():
    begin("nursery")
    with open(os.path.join(HERE, "nursery.how")) as text:
        how = text.read()
    control = socket.socket(fileno=3)
    answer = struct.Struct("=IIi%ds" % ERROR_ROOM)
    control.send(answer.pack(0x7372756E, 2, 0, b""))
    while True:
        data, fds, _, _ = socket.recv_fds(control, 64, 4)
        if not data:
            return
        if struct.unpack("=IIII", data)[2] == 1:
            control.send(answer.pack(0x7372756E, 2, copy("good", fds, True), b""))
        else:
            pid = copy(how, fds)
            if how == "dying":
                os.kill(os.getpid(), signal.SIGKILL)
            if how != "mute":
                control.send(answer.pack(0x7372756E if how != "nonsense" else 1, 2, pid, b""))
        for fd in fds:
            os.close(fd)


def main():
    word = sys.argv[1]
    if word == "view":
        if is_there("view.fail"):
            sys.stderr.write("policy.yaml:1:1: it is wrong\n")
            sys.exit(125)
        text = open(os.path.join(HERE, "view.json")).read()
        note("view")
        while is_there("view.wait"):
            time.sleep(0.01)
        sys.stdout.write(text)
    elif word == "selftest":
        begin("selftest")
    elif word == "reader":
        begin("reader")
        wait_for_end(3)
    elif word == "--fd":
        scribe()
    else:
        {"warden": warden, "front": front, "keeper": keeper, "nursery": nursery}[word]()


if __name__ == "__main__":
    main()
