#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""template_test.py COPY WAKE: interpreters become one that was laid into a file, outside of any box.

All run the session's driver; this program plays the keepers that own their channels.
"""
import fcntl
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

from driving import PATIENCE_S, Interpreter, Skip, check, main, same, test, text, wait_until

COPY, WAKE = sys.argv[1:3]
TABLES = 64 << 10  # copy_image.h
PRACTISED = 20  # python_template.py
F_ADD_SEALS, SEALS = 1033, 0xF
TEMPLATE = []


def laid(*snippets):
    """A template, as a keeper makes it; snippets: what its interpreter did."""
    file = os.memfd_create("template", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(WAKE, "rb") as wake:
        os.pwrite(file, wake.read(), 0)
    with Interpreter() as one:
        one.ready()
        for _ in range(4):
            for code in ("a = 1", "a", "del a, _"):
                one.run(code)
        for code in snippets:
            one.run(code)
        for name in ("python_copy.py", "python_become.py"):
            one.send(-2, text(name).encode())
            same(one.report(), (0, None))
        one.send(0, text("python_template.py").encode())
        same(one.report(), (0, None))
        library = os.open(COPY, os.O_RDONLY)
        one.give(library, file)
        os.close(library)
        for _ in range(PRACTISED):
            one.ready()
        one.send(-1, b"")
        same(one.process.wait(PATIENCE_S), 0)
        check(not one.said(), one.said())
    fcntl.fcntl(file, F_ADD_SEALS, SEALS)
    reading = os.open("/proc/self/fd/%d" % file, os.O_RDONLY | os.O_CLOEXEC)
    os.close(file)
    return reading


def template():
    if not TEMPLATE:
        TEMPLATE.append(laid())
    return TEMPLATE[0]


def woken(**env):
    return Interpreter(template(), **env).ready()


@test
def who_becomes_it_is_as_one_that_was_started():
    look = ("import os, sys; (os.environ.copy(), sys.executable, sys.argv, sys.path, sys.flags, os.getcwd(), "
            "os.readlink('/proc/self/exe'), open('/proc/self/comm').read(), sorted(globals()))")
    with Interpreter(COLOUR="red").ready() as cold, woken(COLOUR="red") as warm:
        same(warm.run(look), cold.run(look))
        same(warm.run("os.getpid()"), str(warm.process.pid))
        fds = "sorted(int(n) for n in os.listdir('/proc/self/fd'))"
        same(warm.run(fds), cold.run(fds))
        same(warm.run("import subprocess; subprocess.run(['env'], capture_output=True, text=True).stdout.count('COLOUR=red')"), "1")
        check("LD_PRELOAD" not in warm.run("subprocess.run(['env'], capture_output=True, text=True).stdout"))
        same(warm.run("import threading; t = threading.Thread(target=lambda: None); t.start(); t.join(); threading.main_thread().native_id"),
             str(warm.process.pid))


@test
def it_brings_an_interrupt_and_an_exception_along():
    with woken() as one:
        one.send(1, b"import time\ntime.sleep(1000)")
        wait_until(lambda: b"sleep" in open("/proc/%d/wchan" % one.process.pid, "rb").read() or
                   open("/proc/%d/stat" % one.process.pid).read().rpartition(")")[2].split()[0] == "S")
        time.sleep(0.2)
        one.process.send_signal(2)
        same(one.report()[0], 130)
        one.send(2, b"1 / 0")
        same(one.report()[0], 1)
        check("ZeroDivisionError" in one.said(), one.said())


@test
def two_draw_different_numbers():
    draw = ("import random, uuid, os, secrets, tempfile; (random.random(), uuid.uuid4().hex, os.urandom(8).hex(), "
            "secrets.token_hex(8), next(tempfile._get_candidate_names()))")
    with woken() as a, woken() as b:
        one, other = eval(a.run(draw)), eval(b.run(draw))
        check(all(x != y for x, y in zip(one, other)), (one, other))


@test
def nothing_is_shared_that_one_can_write():
    with woken() as a, woken() as b:
        for one in (a, b):
            check(not [m for m in one.maps() if m.split()[1][3] == "s" and m.split()[1][1] == "w"], one.maps())
        a.run("import sys, builtins, os; builtins.mine = 1; os.linesep = 'changed'; sys.path.append('/mine')")
        same(b.run("import sys, builtins, os; (hasattr(builtins, 'mine'), os.linesep, '/mine' in sys.path)"),
             "(False, '\\n', False)")
        with woken() as c:
            same(c.run("import sys, builtins, os; (hasattr(builtins, 'mine'), os.linesep)"), "(False, '\\n')")


@test
def it_owns_a_fraction():
    with Interpreter().ready() as cold, woken() as warm:
        cold.run("mine = 1")
        warm.run("mine = 1")
        check(warm.own_kib() * 3 < cold.own_kib(), (warm.own_kib(), cold.own_kib()))


@test
def what_is_the_same_goes_back_when_it_rests():
    with woken() as one, woken() as other:
        for i in (one, other):
            i.run("mine = {n: str(n) for n in range(50)}")
            i.run("import json; json.dumps(mine)")
        before, unrested = one.own_kib(), other.own_kib()
        one.send(-1, b"")
        wait_until(lambda: one.own_kib() < before - 40)
        check(other.own_kib() >= unrested - 8, "nobody told that one to")
        same(one.run("mine[17], len(mine), json.loads(json.dumps(mine))['3']"), "('17', 50, '3')")


@test
def nothing_is_lost_by_resting():
    dice = random.Random(3)
    with woken() as one:
        one.run("import hashlib, re, collections\nkept, log = {}, []")
        seen = {}
        for i in range(40):
            size = dice.choice((10, 1000, 50000))
            one.run(f"kept[{i % 7}] = [str(n) * 3 for n in range({size})]; log.append(({i}, {size})); x = [object() for _ in range(3000)]; del x")
            seen[i % 7] = size
            one.run("re.sub('a', 'b', 'banana'); collections.Counter('mississippi').most_common(1)")
            if i % 2:
                one.send(-1, b"")
            same(one.run("[(k, len(v), v[-1]) for k, v in sorted(kept.items())]"),
                 repr([(k, n, str(n - 1) * 3) for k, n in sorted(seen.items())]))
        same(one.run("len(log)"), "40")


@test
def who_sleeps_has_next_to_nothing():
    with woken() as one:
        one.run("mine = {n: str(n) for n in range(50)}")
        home, own = {m.split()[0] for m in one.maps()}, one.own_kib()
        one.sleep()
        # With 3.13 some pages are nearly all zeros where the template's are full: each stays as it is.
        most = 80 if sys.version_info >= (3, 13) else 60
        check(own > 200 and one.own_kib() <= most, (own, one.own_kib()))
        release = [int(n) for n in os.uname().release.split(".")[:2]]
        check(one.tables_kib() <= 24 or release < [6, 14], one.tables_kib())
        same(one.run("mine[17], len(mine), sum(map(int, mine.values()))"), "('17', 50, 1225)")
        same({m.split()[0] for m in one.maps()} ^ home, set())
        one.sleep()
        same(one.run("mine[18]"), "'18'")


@test
def what_is_its_own_alone_stays_while_it_sleeps():
    with tempfile.NamedTemporaryFile(prefix="template-") as file:
        file.write(b"ab" * 4096)
        file.flush()
        with woken() as one:
            one.run("import mmap, ctypes, hashlib, os\nbig = os.urandom(3 << 20)\nsaid = hashlib.sha256(big).digest()")
            one.run(f"f = open({file.name!r}, 'rb')\nm = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)\nm[4096:4100] = b'mine'")
            one.run("shared = mmap.mmap(-1, 8192)\nshared[:4] = b'both'\nnobody = [mmap.mmap(-1, 4096, mmap.MAP_PRIVATE) for _ in range(40)]\n"
                    "nobody[7][:2] = b'no'")
            for _ in range(3):
                one.sleep()
                same(one.run("(hashlib.sha256(big).digest() == said, m[:2], m[4094:4102], shared[:5], nobody[7][:3], nobody[8][:1])"),
                     repr((True, b"ab", b"abmineab", b"both\0", b"no\0", b"\0")))


@test
def what_is_large_stays_where_it_is():
    with woken() as one:
        one.run("import ctypes, mmap\nbig = mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE)\nsmall = mmap.mmap(-1, 1 << 20)\n"
                "for i in range(0, len(big), 4096):\n    big[i] = i >> 12 & 255\nsmall[:4] = b'more'\n"
                "huge = mmap.mmap(-1, 2 << 30, mmap.MAP_PRIVATE)\nhuge[1 << 30] = 7")
        places = eval(one.run("[ctypes.addressof(ctypes.c_char.from_buffer(m)) for m in (big, huge, small)]"))

        def stays():
            ranges = [[int(n, 16) for n in m.split()[0].split("-")] for m in one.maps()]
            return [any(start <= at < end for start, end in ranges) for at in places]
        for _ in range(2):
            one.sleep()
            same(stays(), [True, True, False])
            same(one.run("(all(big[i] == i >> 12 & 255 for i in range(0, len(big), 4096)), huge[1 << 30], small[:5])"),
                 repr((True, 7, b"more\0")))


@test
def a_signal_wakes_it_if_it_would_do_something():
    with woken() as one:
        one.run("import signal, os, time\ncame = []\nsignal.signal(signal.SIGUSR1, lambda *a: came.append(a[0]))\n"
                "signal.signal(signal.SIGUSR2, signal.SIG_IGN)")
        one.sleep()
        for ignored in (12, 17, 28):  # USR2, CHLD, WINCH
            one.process.send_signal(ignored)
        time.sleep(0.2)
        check(one.sleeps(), "it woke up for nothing")
        one.process.send_signal(10)
        wait_until(lambda: not one.sleeps())
        same(one.run("came"), "[10]")
        one.run("signal.setitimer(signal.ITIMER_REAL, 0.5); signal.signal(signal.SIGALRM, lambda *a: came.append(a[0]))")
        one.sleep()
        wait_until(lambda: not one.sleeps())
        same(one.run("came"), "[10, 14]")
        one.sleep()
        one.process.terminate()
        same(one.process.wait(PATIENCE_S), -15)


@test
def an_interrupt_in_its_sleep_ends_nothing():
    with woken() as one:
        for handler in ("signal.getsignal(2)", "signal.default_int_handler"):
            one.run(f"import signal\nmine = {handler!r}\n_ = signal.signal(2, {handler})")
            one.sleep()
            one.process.send_signal(2)
            wait_until(lambda: not one.sleeps())
            same(one.run("mine"), repr(handler))


@test
def what_a_handler_raises_between_snippets_ends_nothing():
    with woken() as one:
        one.run("import signal\nmine = [1]\ndef late(*_):\n    mine.append(2)\n    raise TimeoutError('too late')\n_ = signal.signal(10, late)")
        for n, sleeps in enumerate((True, False, True), 2):
            if sleeps:
                one.sleep()
            one.process.send_signal(10)
            wait_until(lambda: one.said().count("TimeoutError: too late") == n - 1)
            same(one.run("len(mine)"), str(n))
        for _ in range(50):  # also while it answers
            same(one.run("mine[0]"), "1")
            one.process.send_signal(10)
        # Twin: whoever wants to end ends.
        one.run("_ = signal.signal(12, lambda *_: exit(3))")
        one.process.send_signal(12)
        same(one.process.wait(PATIENCE_S), 3)


@test
def what_was_written_and_cannot_be_written_again_stays():
    with woken() as one:
        one.run("import ctypes\nlibc = ctypes.CDLL(None)\nlibc.mprotect.argtypes = libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)\n"
                "def pages():\n    for line in open('/proc/self/maps'):\n        words = line.split()\n"
                "        if words[1] == 'rw-p' and 'template' in line:\n"
                "            start, end = (int(n, 16) for n in words[0].split('-'))\n            yield from range(start, end, 4096)\n"
                "free = [page for page in pages() if ctypes.string_at(page, 4096) == bytes(4096)]\n"
                "for page in free[:2]: _ = ctypes.memset(page + 8, 65, 4)")
        same(one.run("libc.mprotect(free[0], 4096, 1)"), "0")
        one.run("_ = libc.madvise(free[2], 4096, 102)  # a guard, where the kernel has such")
        for _ in range(2):
            one.sleep()
            same(one.run("[ctypes.string_at(page + 8, 5) for page in free[:2]]"), repr([b"AAAA\0"] * 2))
        same(one.run("libc.mprotect(free[0], 4096, 3)"), "0")


@test
def who_is_told_something_while_it_falls_asleep_hears_it():
    with woken() as one:
        one.run("n = 0")
        for i in range(200):
            one.send(-1, b"")
            same(one.run("n += 1; n"), str(i + 1))


@test
def where_there_is_no_room_it_sleeps_as_it_is():
    with woken() as one:
        one.run("import mmap, resource\nmany = [mmap.mmap(-1, 4096 * (1 + n % 2), mmap.MAP_PRIVATE, mmap.PROT_READ if n % 2 else mmap.PROT_WRITE) for n in range(1500)]")
        one.send(-1, b"")
        wait_until(lambda: any(m.startswith("200000000-") for m in one.maps()))
        same(one.run("len(many)"), "1500")
    with woken() as one:
        one.run("import resource\nused = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
                "resource.setrlimit(resource.RLIMIT_AS, (used + (12 << 20),) * 2)\nmine = 5")
        one.send(-1, b"")
        same(one.run("mine"), "5")


@test
def what_runs_in_a_hole_refers_to_nothing_outside():
    """There it would find something else, or nothing."""
    seen = 0
    for library, section in ((COPY, "copy_code"), (COPY, "doze_code"), (WAKE, "copy_code")):
        try:
            listing = subprocess.run(["objdump", "-d", "-j", section, library], capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            return print("# SKIP no objdump")
        lines = [line.split("\t") for line in listing.splitlines() if line.count("\t") == 2]
        places = [int(line[0].strip(" :"), 16) for line in lines]
        seen += len(lines)
        for line in lines:
            check("(%rip)" not in line[2], line)
            word, _, to = line[2].partition(" ")
            to = to.split()[0] if to.split() else ""
            if word[:1] == "j" or word == "call":
                check(to[:1] == "*" or places[0] <= int(to, 16) <= places[-1], line)
    check(seen > 100, seen)


@test
def its_c_library_knows_its_processor_afterwards():
    """rseq: the kernel writes there again."""
    with woken() as one:
        one.run("import ctypes, os\nl = ctypes.CDLL(None)")
        one.sleep()
        same(one.run("ok = True\nfor cpu in sorted(os.sched_getaffinity(0)):\n    os.sched_setaffinity(0, {cpu}); ok = ok and l.sched_getcpu() == cpu\nok"), "True")


@test
def one_with_threads_does_not_rest_and_loses_nothing():
    with woken() as one:
        one.run("import threading, time\ncount = 0\ndef run():\n    global count\n    while True:\n"
                "        count += 1\n        time.sleep(0.001)\nthreading.Thread(target=run, daemon=True).start()")
        for _ in range(5):
            one.send(-1, b"")
        first = int(one.run("count"))
        wait_until(lambda: int(one.run("count")) > first + 20)


@test
def a_file_that_changed_is_noticed():
    with tempfile.NamedTemporaryFile(prefix="template-") as file:
        file.write(bytes(8192))
        file.flush()
        made = laid(f"import mmap\nf = open({file.name!r}, 'rb')\nm = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)")
        with Interpreter(made).ready() as one:
            same(one.run("len(m)"), "8192")
        os.utime(file.name, (1, 1))
        with Interpreter(made) as one:
            line = one.line()
            check(line.startswith("cold a file of its memory is another here: " + file.name), line)
            one.ready()
            same(one.run("import os; (2 + 2, [n for n in os.environ if n.startswith(('LD_', 'BELLJAR'))], "
                         "sorted(int(n) for n in os.listdir('/proc/self/fd')))"), "(4, [], [0, 1, 2, 3, 100])")
        os.close(made)


@test
def what_is_no_library_is_not_loaded():
    with tempfile.TemporaryFile() as file:
        file.write(b"nothing of the kind" * 1000)
        file.flush()
        with Interpreter(file.fileno()) as one:
            same(one.line(), "cold this interpreter loads no library first")
            one.ready()
            same(one.run("2 + 2"), "4")


@test
def nonsense_harms_nobody_else():
    dice = random.Random(5)
    size = os.fstat(template()).st_size
    whole = os.pread(template(), size, 0)
    for i in range(18):
        bad = bytearray(whole)
        if i % 3 == 0:
            del bad[dice.randrange(TABLES, TABLES + 4000):]
        for _ in range(1 + i if i % 3 else 0):
            bad[TABLES + dice.randrange(4000 if i % 3 == 1 else len(bad) - TABLES)] = dice.randrange(256)
        file = os.memfd_create("bad")
        os.write(file, bad)
        with Interpreter(file) as one:
            one.sock.settimeout(2)
            try:
                line = one.line()
                check(line == "ready" or line.startswith("cold "), line)
            except (AssertionError, socket.timeout):
                check(i % 3, "half a template is a template")
            one.process.kill()
        os.close(file)


def processors(one):
    return os.sched_getaffinity(one.process.pid)


def stir(one, place):
    one.sock.sendall(b"-3 %d 0\n" % place)


def cpu_ticks(one):
    with open("/proc/%d/stat" % one.process.pid) as stat:
        return sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))


# Afterwards it counts what it rehearses, and how often it waits.
FIND_SESSION = """
import sys
at = sys._getframe()
while not hasattr(at.f_locals.get('session'), 'copier'): at = at.f_back
session, rehearsals, waits = at.f_locals['session'], [], []
class Counting:
    def __init__(self, real): self.real = real
    def __getattr__(self, name): return getattr(self.real, name)
    def expect(self, *what): waits.append(what)
own, session.copier = session.rehearse, Counting(session.copier)
session.rehearse = lambda fd: (rehearsals.append(fd), own(fd))
"""


@test
def who_is_stirred_waits_elsewhere_and_runs_anywhere():
    mine = os.sched_getaffinity(0)
    if len(mine) < 2:
        raise Skip("one processor")
    where = "import os; os.sched_getaffinity(0)"
    with woken() as one:
        for place in sorted(mine):
            stir(one, place + 1)
            same(eval(one.run(where)), mine)
            wait_until(lambda: processors(one) == mine - {place})
        # What a snippet has chosen stays chosen, and what it starts has that.
        few = {min(mine)}
        same(eval(one.run(f"os.sched_setaffinity(0, {few}); os.sched_getaffinity(0)")), few)
        stir(one, min(mine) + 1)  # there is no other
        same(eval(one.run("import subprocess; " + where)), few)
        one.run(f"os.sched_setaffinity(0, {mine})")
        stir(one, min(mine) + 1)
        same(eval(one.run("subprocess.run(['/usr/bin/python3', '-c', 'import os; print(os.sched_getaffinity(0))'], "
                          "capture_output=True, text=True).stdout")), repr(mine) + "\n")
        # Twin: whom nobody stirs is anywhere, and so is who rests.
        stir(one, min(mine) + 1)
        one.run("1")
        wait_until(lambda: processors(one) == mine - few)
        one.send(-1, b"")
        wait_until(lambda: processors(one) == mine)
        one.run("1")
        same(processors(one), mine)


@test
def a_snippet_that_is_there_already_is_not_waited_for():
    with woken() as one:
        one.run(FIND_SESSION)
        for place in (1, 2, 1):
            one.sock.sendall(b"-3 %d 0\n7 cafe 5\n1 + 1" % place)
            same(one.report(), (0, "2"))
        same(one.run("len(waits)"), "0")
        stir(one, 1)  # the twin
        wait_until(lambda: one.run("len(waits)") != "0" or stir(one, 1))


@test
def what_is_rehearsed_leaves_nothing_behind():
    with woken() as one:
        one.run("import sys; seen = []; mine = 5")
        for place in (1, 0, 10 ** 6, 2 ** 32 - 1, 1):
            stir(one, place)
            same(one.run("mine"), "5")
        same(one.run("_"), "5")
        same(one.run("sorted(name for name in globals() if name[0] != '_')"), "['mine', 'seen', 'sys']")
        one.run("sys.addaudithook(lambda event, what: 1 / 0 if event == 'compile' and seen else None)")
        for _ in range(3):
            stir(one, 1)
        same(one.run("mine"), "5")
        check(not one.said(), one.said())
        one.run("seen.append(1)")
        stir(one, 1)
        time.sleep(0.1)
        check(not one.said(), one.said())  # what it raises while nothing runs is not told of a snippet
        one.send(9, b"mine")  # the twin: it does raise
        same(one.report()[0], 1)


@test
def a_handler_that_raises_while_it_is_stirred_costs_nothing():
    with woken() as one:
        one.run("import signal\ndef late(*_):\n    raise TimeoutError('too late')\n_ = signal.signal(10, late)")
        mine = os.sched_getaffinity(0)
        for n in range(200):
            stir(one, n % 2 + 1)
            time.sleep(n % 20 * 1e-5)
            one.process.send_signal(10)
            same(one.run(str(n)), str(n))
            same(eval(one.run("__import__('os').sched_getaffinity(0)")), mine)


@test
def what_a_handler_raises_while_it_is_stirred_is_told():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one processor")
    with woken() as one:
        one.run("import os, signal\ndef late(*_):\n    raise TimeoutError('too late')\n_ = signal.signal(10, late)" + FIND_SESSION +
                "session.rehearse = lambda fd: (rehearsals.append(fd), os.kill(os.getpid(), 10))")
        wait_until(lambda: stir(one, 1) or one.run("len(rehearsals)") != "0")
        check("TimeoutError: too late" in one.said(), one.said())


@test
def a_handler_has_all_processors_whenever_it_runs():
    mine = os.sched_getaffinity(0)
    if len(mine) < 2:
        raise Skip("one processor")
    with woken() as one:
        one.run("import os, signal\nseen = []\n"
                "_ = signal.signal(10, lambda *_: seen.append(os.sched_getaffinity(0)))")
        for n in range(100):
            stir(one, min(mine) + 1)
            if n % 2:  # while it waits; otherwise, while it is stirred
                one.run("1")
                wait_until(lambda: processors(one) != mine)
            time.sleep(n % 20 * 1e-5)
            one.process.send_signal(10)
            wait_until(lambda: int(one.run("len(seen)")) > n)
        same(eval(one.run("[s for s in seen if s != %r]" % mine)), [])


@test
def who_is_put_elsewhere_while_it_waits_stays_there():
    mine = os.sched_getaffinity(0)
    if len(mine) < 2:
        raise Skip("one processor")
    with woken() as one:
        for chosen in sorted(mine)[:2]:
            os.sched_setaffinity(one.process.pid, mine)
            stir(one, min(mine) + 1)
            one.run("import os")
            wait_until(lambda: processors(one) != mine)
            os.sched_setaffinity(one.process.pid, {min(mine)})  # as a process that a snippet left would
            same(eval(one.run("os.sched_getaffinity(0)")), {min(mine)})


@test
def who_is_no_longer_stirred_waits_anywhere():
    mine = os.sched_getaffinity(0)
    if len(mine) < 2:
        raise Skip("one processor")
    with woken() as one:
        stir(one, min(mine) + 1)
        one.run("1")
        wait_until(lambda: processors(one) != mine)  # the twin
        one.run("1")
        for _ in range(20):
            same(processors(one), mine)
            time.sleep(0.01)


# What would run, or hear of it, if an expression of nobody's were run: seen has one more for each.
LISTENERS = (
    "sys.addaudithook(lambda event, what: seen.append(event) if event in ('compile', 'exec') else None)",
    "hook = sys.addaudithook; hook(hook=lambda event, what: seen.append(event) if event in ('compile', 'exec') else None)",
    "sys.settrace(lambda at, *_: seen.append(at.f_code) if at.f_code.co_filename[:9] == '<snippet ' else None)",
    "sys.setprofile(lambda at, *_: seen.append(at.f_code) if at.f_code.co_filename[:9] == '<snippet ' else None)",
    "own = compile; builtins.compile = lambda *a, **k: (seen.append(a), own(*a, **k))[1]",
    "own = eval; builtins.eval = lambda *a, **k: (seen.append(a), own(*a, **k))[1]",
    "own = repr; builtins.repr = lambda *a, **k: (seen.append(a), own(*a, **k))[1]",
    "own = sys.stdout; own.flush = lambda: seen.append(1)",
    "own = sys.stdout; sys.stdout = sys.__stdout__ = type('S', (), {'flush': lambda self: seen.append(1)})()",
    "sys.monitoring.use_tool_id(3, 'mine'); _ = sys.monitoring.register_callback(3, 1, lambda code, _: seen.append(code) "
    "if code.co_filename[:9] == '<snippet ' else None); sys.monitoring.set_events(3, 1)",
)


@test
def who_listens_hears_nothing_of_what_is_rehearsed():
    for listener in LISTENERS:
        if "monitoring" in listener and not hasattr(sys, "monitoring"):
            continue
        with woken() as one:
            one.run("import builtins, sys; seen = []")
            one.run(listener)
            one.run("seen.clear()")
            alone = int(one.run("len(seen)")), int(one.run("len(seen)"))
            each = alone[1] - alone[0]
            check(alone[1], "the twin: it hears a snippet: " + listener)
            for n in range(2, 6):
                stir(one, 1)
                time.sleep(0.02)
                same((listener, int(one.run("len(seen)"))), (listener, alone[0] + n * each))


@test
def what_adds_hooks_is_what_it_was():
    look = "import sys; f = sys.addaudithook; (repr(f), f.__name__, f.__module__, f.__doc__, f.__text_signature__, f.__self__ is sys)"
    with Interpreter().ready() as cold, woken() as warm:
        same(warm.run(look), cold.run(look))
        for code in (b"sys.addaudithook()", b"sys.addaudithook(1, 2)", b"sys.addaudithook(nothing=1)"):
            warm.send(9, code)
            same(warm.report()[0], 1)
        check(warm.said().count("TypeError") == 3, warm.said())


@test
def who_has_threads_is_not_stirred():
    mine = os.sched_getaffinity(0)
    with woken() as one:
        one.run("import threading; go = threading.Event(); t = threading.Thread(target=go.wait, daemon=True); t.start()\n" + FIND_SESSION)
        stir(one, 1)
        time.sleep(0.1)
        same(one.run("1"), "1")
        same(processors(one), mine)
        same(one.run("len(rehearsals)"), "0")
        one.run("go.set(); t.join()")
        wait_until(lambda: stir(one, 1) or one.run("len(rehearsals)") != "0" or len(mine) < 2)  # the twin


@test
def where_there_is_one_processor_nobody_is_stirred():
    mine = os.sched_getaffinity(0)
    with woken() as one:
        one.run(FIND_SESSION)
        os.sched_setaffinity(one.process.pid, {min(mine)})
        for _ in range(3):
            stir(one, min(mine) + 1)
            time.sleep(0.05)
            one.run("1")
        same(one.run("len(rehearsals), len(waits)"), "(0, 0)")
        os.sched_setaffinity(one.process.pid, mine)
        wait_until(lambda: stir(one, min(mine) + 1) or one.run("len(waits)") != "0" or len(mine) < 2)  # the twin


@test
def what_came_with_a_snippet_is_not_waited_for():
    with woken() as one:
        for n in range(20):
            stir(one, 1)
            time.sleep(0.002 * (n % 3))
            one.sock.sendall(b"7 cafe 1\n1" + b"8 cafe 1\n2")
            same((one.report(), one.report()), ((0, "1"), (0, "2")))


@test
def whatever_comes_while_it_waits_awake_is_read_as_ever():
    place = min(os.sched_getaffinity(0)) + 1
    long = b"#" * 500
    pieces = [
        [b"7 cafe 5\n1 + 1"],
        [b"7 cafe 5\n1 +", b" 1"],
        [b"7 ca", b"fe 5\n1 + 1"],
        [b"7", b" cafe 5\n", b"1 + 1"],
        [b"7 cafe 506\n1 + 1\n" + long],
        [b"7 cafe 506\n1 + 1\n" + long[:250], long[250:]],
        [b"7 cafe 390\n1 + 1\n" + long[:384]],
        [b"7 cafe 389\n1 + 1\n" + long[:383]],
        [b"7 cafe 388\n1 + 1\n" + long[:382]],
    ]
    with woken() as one:
        for sent in pieces * 3:
            stir(one, place)
            one.run("1")
            stir(one, place)  # where it waits: it need not read that itself
            for piece in sent:
                time.sleep(0.0002)
                one.sock.sendall(piece)
            same((sent[0][:20], one.report()), (sent[0][:20], (0, "2")))
        one.run(FIND_SESSION)
        one.run("1")
        wait_until(lambda: stir(one, place) or one.run("len(rehearsals)") != "0" or len(os.sched_getaffinity(0)) < 2)  # the twin


@test
def who_is_stirred_for_nothing_sleeps_again():
    with woken() as one:
        stir(one, 1)
        one.run("1")
        before = cpu_ticks(one)
        for _ in range(5):
            stir(one, 1)
        wait_until(lambda: open("/proc/%d/stat" % one.process.pid).read().rpartition(")")[2].split()[0] == "S")
        time.sleep(1)
        check(cpu_ticks(one) - before < 50, "it has been awake for all that time")
        same(one.run("2"), "2")


@test
def one_that_was_stirred_is_copied_and_sleeps():
    with woken() as origin:
        origin.run("mine = [1]")
        for _ in range(2):
            stir(origin, 1)
            origin.run("mine")
            copy, _ = copied(origin, template())
            if len(os.sched_getaffinity(0)) > 1:  # it waits where it waited before
                wait_until(lambda: processors(origin) == os.sched_getaffinity(0) - {0})
            with copy:
                copy.ready()
                same(eval(copy.run("__import__('os').sched_getaffinity(0)")), os.sched_getaffinity(0))
                stir(copy, 1)
                same(copy.run("mine"), "[1]")
                copy.sleep()
                stir(copy, 1)
                same(copy.run("mine"), "[1]")


def copied(origin, *more):
    """Its copy, and how much had to travel."""
    stream, why = origin.begin_copy(COPY)
    check(stream is not None, why)
    with os.fdopen(stream, "rb") as file:
        whole = file.read()
    same(origin.report(), (0, None))
    copy = woken()
    stream, end = os.pipe()
    copy.become_copy(COPY, stream, *more)
    os.close(stream)
    copy.number = origin.number
    with os.fdopen(end, "wb") as pipe:
        try:
            pipe.write(whole)
        except BrokenPipeError:
            pass
    return copy, len(whole)


@test
def a_copy_is_made_of_what_differs():
    with woken() as origin:
        origin.run("mine = list(range(1000))")
        copy, size = copied(origin, template())
        with copy:
            copy.ready()
            check(size < 2 << 20, size)
            copy.run("mine.append(1)")
            same((copy.run("len(mine)"), origin.run("len(mine)")), ("1001", "1000"))
            before = copy.own_kib()
            copy.send(-1, b"")
            wait_until(lambda: copy.own_kib() < before)
            same(copy.run("len(mine)"), "1001")
            again, _ = copied(copy, template())
            with again:
                again.ready()
                same(again.run("len(mine)"), "1001")


@test
def without_what_it_has_in_common_there_is_no_copy():
    other = laid()
    for more in ((), (other,)):
        with woken() as origin:
            copy, _ = copied(origin, *more)
            with copy:
                same(copy.process.wait(PATIENCE_S), 1)
                check("in common" in copy.said(), copy.said())
    os.close(other)


main(sys.argv[3:])
