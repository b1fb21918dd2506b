#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""copy_test.py LIBRARY: an interpreter becomes the copy of another, outside of any box.

Both run the session's driver; this program plays the keepers that own their channels.
"""
import os
import select
import signal
import subprocess
import sys
import tempfile

from driving import PATIENCE_S, Interpreter, Skip, check, main, same, test

LIBRARY = sys.argv[1]


def begin_copy(origin):
    return origin.begin_copy(LIBRARY)


def becoming(stream):
    """One that is given what it is to become."""
    copy = Interpreter().ready()
    copy.become_copy(LIBRARY, stream)
    os.close(stream)
    return copy


def copied(origin):
    stream, why = begin_copy(origin)
    check(stream is not None, f"refused: {why}")
    copy = becoming(stream)
    copy.number = origin.number
    same(origin.report(), (0, None))
    copy.ready()
    return copy


def started():
    return Interpreter().ready()


def refusal(code):
    with started() as origin:
        origin.run(code)
        stream, why = begin_copy(origin)
        check(stream is None, "it was copied")
        same(origin.run("1 + 1"), "2")
        return why


@test
def variables_generators_and_functions_are_there_and_its_own():
    with started() as origin:
        origin.run("import itertools\nx = [1, 2]\ng = (i * i for i in itertools.count())\nnext(g), next(g)\n"
                   "def f(n):\n  return n + len(x)\nclass C:\n  pass\nc = C(); c.me = c")
        with copied(origin) as copy:
            same(copy.run("x.append(3); f(1), next(g), c.me is c"), "(4, 4, True)")
            same(origin.run("f(1), next(g), next(g)"), "(3, 4, 9)")
            same(copy.run("next(g)"), "9")
            check(copy.process.pid == int(copy.run("import os; os.getpid()")), "another process")


@test
def much_memory_and_the_heap_after_it():
    with started() as origin:
        origin.run("import hashlib, os\nbig = [os.urandom(1 << 20) for i in range(50)]\nsmall = [str(i) for i in range(200000)]\n"
                   "h = lambda: hashlib.sha256(b''.join(big) + ''.join(small).encode()).hexdigest()")
        want = origin.run("h()")
        with copied(origin) as copy:
            same(copy.run("h()"), want)
            copy.run("more = [bytearray(n * 100) for n in range(3000)]; del more\n"
                     "more = [{str(i): [i]} for i in range(200000)]; del more, big, small")
            same(copy.run("def deep(n):\n  return n and 1 + deep(n - 1)\nimport sys\nsys.setrecursionlimit(9000)\ndeep(8000)"),
                 "8000")


@test
def an_open_file_stands_where_it_stood():
    with started() as origin, tempfile.NamedTemporaryFile("w+") as file:
        file.write("one\ntwo\nthree\n")
        file.flush()
        origin.run(f"import os\nf = open({file.name!r}); f.readline()\n"
                   f"d = os.open({file.name!r}, os.O_RDONLY); os.lseek(d, 4, 0); n = os.open('/dev/null', os.O_WRONLY)\nos.chdir('/usr'); os.umask(0o27)")
        with copied(origin) as copy:
            same(copy.run("f.readline(), os.read(d, 3), os.write(n, b'x'), os.getcwd(), os.umask(0o27)"),
                 "('two\\n', b'two', 1, '/usr', 23)")
            same(origin.run("f.readline(), os.lseek(d, 0, 1)"), "('two\\n', 4)")


@test
def threads_children_signals_and_time_work_in_the_copy():
    with started() as origin:
        origin.run("import threading, subprocess, signal, time, os\nhits = []\nsignal.signal(signal.SIGUSR1, lambda *_: hits.append(1))")
        with copied(origin) as copy:
            same(copy.run("t = threading.Thread(target=lambda: hits.append(2)); t.start(); t.join(); hits"), "[2]")
            same(copy.run("subprocess.run(['/bin/echo', 'hi'], capture_output=True).stdout"), "b'hi\\n'")
            same(copy.run("os.kill(os.getpid(), signal.SIGUSR1); time.sleep(0.01); hits"), "[2, 1]")
            same(copy.run("threading.get_native_id() == os.getpid() and time.time() > 1"), "True")
            copy.send(9, b"import time\ntry:\n  print('begun', flush=True); time.sleep(60)\nexcept KeyboardInterrupt:\n  7")
            while "begun" not in copy.said():
                select.select([], [], [], 0.01)
            copy.process.send_signal(signal.SIGINT)
            same(copy.report()[0], 0)


@test
def random_numbers_are_not_the_same():
    with started() as origin:
        origin.run("import random, os, ssl\nrandom.random(), ssl.RAND_bytes(8)")
        with copied(origin) as copy:
            for code in ("random.random()", "os.urandom(8)", "ssl.RAND_bytes(8)"):
                check(origin.run(code) != copy.run(code), code)


@test
def a_copy_of_a_copy_of_a_copy():
    with started() as origin:
        origin.run("x = [0]")
        with copied(origin) as one, copied(one) as two, copied(two) as three:
            three.run("x.append(3); y = [i for i in range(100000)]")
            two.run("x.append(2)")
            with copied(three) as four:
                same((four.run("x, len(y)"), two.run("x"), one.run("x"), origin.run("x")),
                     ("([0, 3], 100000)", "[0, 2]", "[0]", "[0]"))


@test
def an_event_loop_that_rests_is_no_hindrance():
    with started() as origin:
        origin.run("import asyncio\nawait asyncio.sleep(0)")
        with copied(origin) as copy:
            same(copy.run("await asyncio.sleep(0, 5)"), "5")
        same(origin.run("await asyncio.sleep(0, 6)"), "6")


@test
def arrays_of_numpy():
    with started() as origin:
        try:
            origin.run("import numpy")
        except AssertionError as error:
            raise Skip("numpy is not here") from error
        origin.run("a = numpy.arange(1000000.0).reshape(1000, 1000); b = a[::2]; numpy.dot(a, a).sum()")
        with copied(origin) as copy:
            same(copy.run("int(a.sum()), b.base is not None, numpy.dot(a[:9, :9], a[:9, :9]).shape"),
                 "(499999500000, True, (9, 9))")
            same(origin.run("numpy.dot(a, a).shape"), "(1000, 1000)")


@test
def another_layout_of_the_heap_does_not_matter():
    """The kernel's idea of the heap lies above or below the copied one, as it happens."""
    with started() as origin:
        origin.run("keep = [bytes(700) for i in range(3000)]")
        for _ in range(6):
            with copied(origin) as copy:
                same(copy.run("keep += [bytes(i) for i in range(600, 6000)]; len(keep)"), "8400")


@test
def what_cannot_be_copied_is_named():
    check("socket" in refusal("import socket; s = socket.socket()"))
    check("pipe" in refusal("import os; p = os.pipe()"))
    check("no name" in refusal("import tempfile; t = tempfile.TemporaryFile()"))
    check("shared" in refusal("import mmap; m = mmap.mmap(-1, 4096)"))
    check("thread" in refusal("import threading\ne = threading.Event()\nthreading.Thread(target=e.wait, daemon=True).start()"))
    check("child" in refusal("import subprocess; p = subprocess.Popen(['/bin/sleep', '1000'])"
                             "\nimport atexit; atexit.register(p.kill)"))
    check("asyncio" in refusal("import asyncio\nasync def f():\n  await asyncio.sleep(99)\nt = asyncio.get_running_loop if 0 else None\n"
                               "async def g():\n  global t\n  t = asyncio.ensure_future(f())\nawait g()"))


GUARDS = '''
import ctypes, mmap, os
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
kept = []
def room(pages, touched=()):
    kept.append(mmap.mmap(-1, pages * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    at = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))
    for page in touched:
        ctypes.memset(at + page * 4096, 65 + page, 4)
    return at
def reads(at):
    pid = os.fork()
    if pid == 0:
        try:
            ctypes.string_at(at, 4)
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1] == 0
within, untouched, hidden = room(6, (0, 1, 4, 5)), room(3), room(4, (0, 3))
guards = [within + 2 * 4096, within + 3 * 4096, untouched + 4096, hidden + 4096]
plain = [within + 4096, within + 4 * 4096, untouched, untouched + 2 * 4096]
'''


@test
def pages_that_nobody_may_touch_are_none_in_the_copy_either():
    with started() as origin:
        origin.run(GUARDS)
        if origin.run("[libc.madvise(at, 4096, 102) for at in guards]") != "[0, 0, 0, 0]":
            raise Skip("this kernel has no guards")
        # Otherwise protected than its neighbours, or the kernel makes one mapping of them all.
        origin.run("_ = libc.mprotect(hidden, 4 * 4096, 0), libc.mprotect(untouched, 3 * 4096, 1)")
        with copied(origin) as one, copied(one) as two:
            for each in (origin, one, two):
                same(each.run("[reads(at) for at in guards], [reads(at) for at in plain]"),
                     "([False, False, False, False], [True, True, True, True])")
                same(each.run("[ctypes.string_at(within + page * 4096, 4) for page in (0, 1, 4, 5)]"),
                     "[b'AAAA', b'BBBB', b'EEEE', b'FFFF']")
                same(each.run("libc.mprotect(hidden, 4 * 4096, 3), ctypes.string_at(hidden + 3 * 4096, 4), reads(guards[3])"),
                     "(0, b'DDDD', False)")
                same(each.run("[libc.madvise(at, 4096, 103) for at in guards], [reads(at) for at in guards]"),
                     "([0, 0, 0, 0], [True, True, True, True])")


@test
def nonsense_harms_nobody_else():
    import random
    dice = random.Random(1)
    whole = image()
    for i in range(24):
        bad = bytearray(whole)
        if i % 3 == 0:
            bad = bad[: dice.randrange(len(bad))]
        else:
            for _ in range(1 + i):
                bad[dice.randrange(min(len(bad), 40 + 6000 if i % 3 == 1 else len(bad)))] = dice.randrange(256)
        stream, end = os.pipe()
        with becoming(stream) as copy:
            try:
                pour(end, bytes(bad))
            finally:
                os.close(end)
            copy.process.kill() if i % 3 else copy.process.wait(PATIENCE_S)
            check(i % 3 or copy.process.returncode != 0, "half an image is an image")


def pour(end, data):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        while data:
            data = data[os.write(end, data) :]
    except BrokenPipeError:
        pass


def image():
    """All of the bytes of one."""
    with started() as origin:
        origin.run("x = 1")
        stream, why = begin_copy(origin)
        check(stream is not None, why)
        with os.fdopen(stream, "rb") as file:
            data = file.read()
        same(origin.report(), (0, None))
        return data


@test
def it_brings_nothing_that_is_not_there():
    """Code that runs when all libraries are gone must not call one."""
    done = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skip("there is no nm")
    names = [line.split()[-1] for line in done.stdout.splitlines()]
    same([n for n in names if not n.startswith(("Py", "_Py")) and n not in ("__curbrk", "__rseq_offset", "__rseq_size")], [])


main(sys.argv[2:])
