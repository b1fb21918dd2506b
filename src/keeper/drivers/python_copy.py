# SPDX-License-Identifier: Apache-2.0
# python_copy.py - runs in a session's interpreter that is to be copied: files and memory go into a pipe.
#
# What is copied is a child that is forked here, so that libraries hear of it as of any fork, and
# the interpreter itself loses nothing.  In the copy, elsewhere, the call to write() returns.
# Finds: channel, session, nonce, and what is in python_given.py; whole, if the other side has another template.
import os
import stat
import sys
from _signal import SIGKILL

ROOTS = ("/work", "/tmp")
ENTRIES_MAX = 100000
WHOLE = (1,) if "whole" in globals() else ()


class Refused(Exception):
    pass


def check_others():
    if len(sys._current_frames()) > 1:
        raise Refused("it has other threads")
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return
    raise Refused("it has child processes, or has not waited for one that ended")


def look():
    """Everything beneath the roots: directories before what is in them."""
    found, todo = [], list(ROOTS)
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                st = entry.stat(follow_symlinks=False)
                kind = stat.S_IFMT(st.st_mode)
                if kind not in (stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK):
                    raise Refused("a file that cannot be copied: " + entry.path)
                if kind == stat.S_IFREG and not os.access(entry.path, os.R_OK):
                    raise Refused("a file that it cannot read: " + entry.path)
                found.append((kind, st, entry.path))
                if len(found) > ENTRIES_MAX:
                    raise Refused("it has more than %d files" % ENTRIES_MAX)
                if kind == stat.S_IFDIR:
                    todo.append(entry.path)
    return found


def send(stream, data):
    while data:
        data = data[os.write(stream, data) :]


def numbers(*values):
    return b"".join(n.to_bytes(8, "little") for n in values)


def send_data(stream, fd, size):
    """Only what is there: holes stay holes."""
    at = 0
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            break
        at = min(os.lseek(fd, start, os.SEEK_HOLE), size)
        send(stream, numbers(start, at - start))
        while start < at:
            n = os.sendfile(stream, fd, start, at - start)
            if n == 0:
                os._exit(1)
            start += n
    send(stream, numbers(0, 0))


def send_files(stream, found):
    for kind, st, path in found:
        name = os.fsencode(path)
        link = os.fsencode(os.readlink(path)) if kind == stat.S_IFLNK else b""
        size = st.st_size if kind == stat.S_IFREG else len(link)
        send(stream, numbers(kind, st.st_mode & 0o777, size, st.st_mtime_ns, len(name)) + name + link)
        if kind == stat.S_IFREG:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            send_data(stream, fd, size)
            os.close(fd)
    send(stream, numbers(0, 0, 0, 0, 0))


def close_loop():
    """An event loop has sockets; one that has nothing to do is made anew when it is needed."""
    if session.loop is None or session.loop.is_closed():
        return
    asyncio = sys.modules["asyncio"]
    if asyncio.all_tasks(session.loop):
        raise Refused("it has tasks of asyncio that are not done")
    session.loop.close()
    session.loop = None
    asyncio.set_event_loop(None)


def awake():
    """In the copy: its channel is where a new process has it."""
    channel.__init__()
    session.pid = os.getpid()
    if "threading" in sys.modules:
        sys.modules["threading"].main_thread()._set_native_id()
    if "ssl" in sys.modules:  # OpenSSL tells a fork by the process number, which may be the same
        sys.modules["ssl"].RAND_add(os.urandom(32), 32.0)
    os.write(channel.fd, b"ready\n")


def write(module, stream, word):
    """In the child; returns in the copy only."""
    try:
        os.close(channel.fd)
        close_loop()
        found = look()
        module.check(stream, word, *WHOLE)
        os.write(word, b"+")
        os.close(word)
    except BaseException as error:
        os.write(word, (str(error) or type(error).__name__).encode("utf-8", "replace")[:1000])
        os._exit(1)
    try:
        send_files(stream, found)
        del found
        module.write(stream, *WHOLE)
    except BaseException:
        os._exit(1)
    awake()


def wait(pid, heard):
    word = os.read(heard, 4096)
    os.close(heard)
    if word == b"+" and len(os.listdir("/proc/self/task")) > 1:
        word = b"it has other threads"
    if word != b"+":
        os.kill(pid, SIGKILL)
        os.waitpid(pid, 0)
        channel.say(nonce, 1, word.decode("utf-8", "replace") or "the child that was to be copied died")
        return
    channel.say(nonce, 0, None)
    channel.say(nonce, 0 if os.waitpid(pid, 0)[1] == 0 else 1, None)


def copy():
    channel.say(nonce, 0, None)
    library, stream = take_given()
    try:
        check_others()
        if session.copier is None:
            session.copier = load(library)
        heard, word = os.pipe()
        pid = os.fork()
    except BaseException as error:
        os.close(library)
        os.close(stream)
        channel.say(nonce, 1, str(error) or type(error).__name__)
        return
    os.close(library)
    if pid == 0:
        os.close(heard)
        write(session.copier, stream, word)
        return
    os.close(word)
    os.close(stream)
    wait(pid, heard)


copy()
