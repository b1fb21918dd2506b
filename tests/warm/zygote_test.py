# SPDX-License-Identifier: Apache-2.0
"""zygote_test.py - a warm interpreter's life, and what never reaches it.

usage: zygote_test.py BOX_ALONE WARM_RUN SPARSE_LIBRARY BELLJAR
"""

import contextlib
import ctypes
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

BOX, RUN, SPARSE, BELLJAR = sys.argv[1:5]
PATIENCE_S = 60


class Skip(Exception):
    pass


def box(*words, warm=True):
    env = dict(os.environ)
    if warm:
        env["BOX_WARM"] = "python"
    out = subprocess.run([BOX, "run", "--json", *words], env=env, capture_output=True,
                         timeout=PATIENCE_S, check=False).stdout
    return json.loads(out)


def can_collapse():
    """Does madvise make a huge page of small ones (Linux 6.1)?"""
    page, collapse = 2 << 20, 25
    room = mmap.mmap(-1, 2 * page, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    room.write(b"x" * len(room))
    try:
        room.madvise(collapse, -ctypes.addressof(ctypes.c_char.from_buffer(room)) % page, page)
        return True
    except OSError:
        return False


def rounds(script, n, *options, meanwhile=None, before=None):
    """The reports of n calls in one slot, and what they printed."""
    def begin():
        os.dup2(write, 3)
        if before:
            before()

    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "main.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        read, write = os.pipe()
        with subprocess.Popen([RUN, "-w", "python", "-n", str(n), "-s", "1500", *options, "-f", path,
                               "--", "python3", "/work/main.py"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=begin) as process:
            os.close(write)
            lines = []
            with os.fdopen(read) as reports:
                for line in reports:
                    lines.append(json.loads(line))
                    if meanwhile:
                        meanwhile(process.pid, len(lines))
            out = process.stdout.read().decode()
            process.wait(PATIENCE_S)
    return lines, out


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


@contextlib.contextmanager
def module(text):
    """The name of a module of the host's, with this text."""
    name = f"belljar_test_{os.getpid()}"
    with among_modules(name + ".py", text.encode()):
        yield name


@contextlib.contextmanager
def among_modules(name, content):
    version = subprocess.run(["/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                             capture_output=True, check=True, timeout=PATIENCE_S).stdout.decode().strip()
    path = f"/usr/local/lib/python{version}/dist-packages/{name}"
    try:
        with open(path, "wb") as file:
            file.write(content)
        yield path
    except FileNotFoundError as why:
        raise Skip("this Python keeps its modules elsewhere") from why
    finally:
        if os.path.exists(path):
            os.unlink(path)


def read_status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return {key: value.strip() for key, value in (line.split(":\t", 1) for line in file if ":\t" in line)}


def zygotes(pid, sealed=False):
    """Of the slot's launcher: python3 that is pid 1's own child and has rights over the slot; sealed: its children."""
    found = []
    for launcher in children(pid):
        for child in children(launcher):
            status = read_status(child)
            if status["Name"] == "python3" and (int(status["CapEff"], 16) == 0) == sealed:
                found.append(child)
    return found


def one_that_is_killed_is_replaced_and_the_calls_between_are_cold():
    def kill(pid, n):
        if n == 2:
            time.sleep(0.2)  # when it bears no child: else its slot goes with it
            for zygote in zygotes(pid):
                os.kill(zygote, signal.SIGKILL)

    lines, out = rounds("print('here')", 12, "-r", "400", meanwhile=kill)
    assert out == "here\n" * 12, out
    assert [line["exit"] for line in lines] == [0] * 12
    assert lines[0]["how"] == "waiting", lines[0]
    told = [line for line in lines if line["how"] in ("cold", "sealed")]
    assert told and all(line["why_cold"] for line in told), lines
    assert lines[-1]["how"] in ("waiting", "forked") and lines[-1]["interpreters"] >= 2, lines[-1]


def a_child_that_does_not_begin_is_one_that_never_ran():
    """It was told of its call and hangs: the call starts cold, once."""
    def stop(pid, n):
        if n == 1:
            end = time.monotonic() + PATIENCE_S
            while not zygotes(pid, True) and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.3)
            for child in zygotes(pid, True):
                os.kill(child, signal.SIGSTOP)

    lines, out = rounds("print('here')", 3, "-r", "3000", meanwhile=stop)
    assert out == "here\n" * 3, out
    assert lines[0]["how"] == "waiting", lines
    assert (lines[1]["how"], lines[1]["exit"]) == ("cold", 0) and "did not begin" in lines[1]["why_cold"], lines
    assert lines[2]["exit"] == 0, lines


def an_interpreter_has_most_of_the_filter_and_its_children_all_of_it():
    """Between the two halves it may join a box, and nothing else that a program may not."""
    seen = []

    def look(pid, n):
        if n == 1:
            time.sleep(0.3)
            seen.extend(read_status(z)["Seccomp_filters"] for sealed in (False, True) for z in zygotes(pid, sealed))

    script = ("import ctypes, errno, os\n"
              "libc = ctypes.CDLL(None, use_errno=True)\n"
              "def tried(*call):\n"
              "    return errno.errorcode[ctypes.get_errno()] if libc.syscall(*call) < 0 else 'done'\n"
              "print([tried(*call) for call in ((272, 0), (161, b'/'), (308, 0, 0), (250, 1, None), (435, 0, 0),\n"
              "                                 (157, 28, 0), (165, None, b'/', None, 32, None))])\n")
    lines, out = rounds(script, 3, "-r", "1000", meanwhile=look)
    assert all(line["how"] == "waiting" for line in lines), lines
    assert seen == ["1", "2"], seen
    if os.uname().machine == "x86_64":
        assert out == "['EPERM', 'EPERM', 'EPERM', 'EPERM', 'ENOSYS', 'EPERM', 'EPERM']\n" * 3, out


def one_is_renewed_after_its_calls():
    lines, _ = rounds("print(1)", 8, "-c", "2", "-r", "300")
    assert lines[-1]["interpreters"] >= 2, lines[-1]
    assert all(line["how"] != "waiting" or line["calls"] <= 4 for line in lines), lines


def nothing_of_a_call_is_there_in_the_next():
    script = ("import builtins, os, sys\n"
              "print(os.path.exists('/tmp/mark'), os.path.exists('/work/mark'), hasattr(builtins, 'mark'), 'mark' in sys.modules,\n"
              "      'MARK' in os.environ, sorted(os.listdir('/proc/self/fd')), os.path.exists('/dev/shm/mark'))\n"
              "open('/tmp/mark', 'w'); open('/work/mark', 'w'); open('/dev/shm/mark', 'w'); builtins.mark = sys.modules['mark'] = sys\n"
              "os.environ['MARK'] = '1'\n")
    lines, out = rounds(script, 4)
    assert out.splitlines() == ["False False False False False ['0', '1', '2', '3'] False"] * 4, out
    assert {line["how"] for line in lines} == {"waiting"}, lines


def two_calls_draw_other_numbers():
    script = "import random, ssl, uuid; print(random.random(), ssl.RAND_bytes(8), uuid.uuid4())"
    _, out = rounds(script, 4, "-m", "ssl", "-m", "random", "-m", "uuid")
    assert len(set(out.splitlines())) == 4, out


FAULTS = "def faults(): return int(open('/proc/self/stat').read().rpartition(')')[2].split()[7])\n"


def touched(script):
    """The fewest pages that one of some calls wrote to, as the script tells."""
    lines, out = rounds(FAULTS + script, 6, "-r", "0")
    assert {line["how"] for line in lines} == {"waiting"}, lines
    return min(map(int, out.split()))


def a_usual_call_touches_few_pages():
    """What is as it mostly is need not be asked of Python.  A word about the source's code is not."""
    usual, other = touched("print(faults())"), touched("# coding: utf-8\nprint(faults())")
    assert usual + 20 < other, (usual, other)


def a_usual_end_touches_few_pages():
    script = "import atexit\natexit.register(lambda: print(faults() - before))\nfaults()\nbefore = faults()\n"
    usual, other = touched(script), touched("# coding: utf-8\n" + script)
    assert usual + 2 < other, (usual, other)


def a_child_has_no_memory_in_common_with_anybody():
    script = "print([l for l in open('/proc/self/maps') if l.split()[1][3] == 's' and 'w' in l.split()[1]])"
    _, out = rounds(script, 2)
    assert out == "[]\n[]\n", out


def memory_lies_in_huge_pages_where_the_kernel_makes_them():
    """Then no file is behind what a program of its own would have from one; and the values are the same."""
    script = ("import random, sys\n"
              "print([l for l in open('/proc/self/maps') if ' rw-p ' in l and l.rstrip().endswith('python%d.%d' % "
              "sys.version_info[:2])], len(repr(sys.modules)) > 1000)\n")
    lines, out = rounds(script, 3, "-m", "random")
    if not can_collapse():
        raise Skip("this kernel makes no huge pages on demand")
    assert all(line["how"] == "waiting" for line in lines), lines
    assert out == "[] True\n" * 3, out
    assert all(line["baseline"] < 32 << 20 for line in lines), lines


def what_is_only_read_of_a_library_is_one_mapping():
    """It has no file behind it, lies where it was, and works: its functions, what is loaded later, its tables."""
    script = ("import ctypes, sys\n"
              "def lines(): return open('/proc/self/maps').read().splitlines()\n"
              "print(len([l for l in lines() if '/libc.so' in l and ' r' in l and ' rw-p ' not in l]))\n"
              "libc = ctypes.CDLL(None)\n"
              "at = ctypes.cast(libc.strlen, ctypes.c_void_p).value\n"
              "spans = [(*(int(x, 16) for x in l.split()[0].split('-')), l.split()[1]) for l in lines()]\n"
              "print([p for a, b, p in spans if a <= at < b], libc.strlen(b'12345'))\n"
              "import sqlite3, xml.parsers.expat, zlib\n"
              "print(zlib.crc32(b'x'), sqlite3.connect(':memory:').execute('select 6 * 7').fetchone())\n")
    lines, out = rounds(script, 2)
    cold = "4\n['r-xp'] 5\n2363233923 (42,)\n"
    if not can_collapse():
        raise Skip("this kernel makes no huge pages on demand")
    assert all(line["how"] == "waiting" for line in lines), lines
    assert out == cold.replace("4", "0", 1) * 2, out


def traced(function, root):
    """A trap of the kernel's in this function's file beneath root, until the block ends.

    Not in the host's own: everybody who has that mapped runs into it, and who starts in the moment in which it is
    taken away may die of it.
    """
    at = ctypes.cast(function, ctypes.c_void_p).value
    for line in open("/proc/self/maps", encoding="ascii"):
        span, _, offset, _, _, *path = line.split()
        start, end = (int(word, 16) for word in span.split("-"))
        if start <= at < end:
            break
    with open("/sys/bus/event_source/devices/uprobe/type", encoding="ascii") as file:
        kind = int(file.read())
    name = ctypes.create_string_buffer((root + path[0]).encode())
    wish = bytearray(112)  # struct perf_event_attr: type, size; config1 is the path, config2 the place in it
    struct.pack_into("II", wish, 0, kind, len(wish))
    struct.pack_into("QQ", wish, 56, ctypes.addressof(name), at - start + int(offset, 16))
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall({"x86_64": 298, "aarch64": 241}[os.uname().machine],
                      (ctypes.c_char * len(wish)).from_buffer(wish), -1, 0, -1, 8)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return open(fd, "rb", 0)


def check_traced(lines, out):
    assert [line["signal"] for line in lines] == [0, 0], lines
    assert out == "xmlparser b'x' (1+1j) 63\n" * 2 and {line["how"] for line in lines} == {"waiting"}, (out, lines)


def who_traces_the_host_kills_nobody():
    """In a copy of what he traces the kernel does not know its own traps."""
    script = ("import pyexpat\n"
              "print(type(pyexpat.ParserCreate()).__name__, memoryview(b'x').tobytes(), complex('1+1j'), int('77', 8))\n")
    places = ((ctypes.CDLL("libexpat.so.1").XML_ParserCreate_MM, ("-m", "pyexpat")),
              (ctypes.pythonapi.PyMemoryView_FromObject, ()), (ctypes.pythonapi.PyLong_FromString, ()))
    with tempfile.TemporaryDirectory() as place:
        root = place + "/root"
        subprocess.run([BELLJAR, "root", "build", root, "--with", "python3"], stdout=subprocess.DEVNULL, check=True,
                       timeout=PATIENCE_S)
        for function, options in places:
            try:
                trap = traced(function, root)
            except OSError as why:
                raise Skip(f"nobody can trace programs here: {why}") from why
            with trap:
                lines, out = rounds(script, 2, "-R", root, *options)
            check_traced(lines, out)


def a_module_that_would_share_memory_between_calls_makes_them_cold():
    """What one call writes there the next one would find."""
    for memory, warm in (("mmap.mmap(-1, 4096)", False), ("mmap.mmap(-1, 4096, mmap.MAP_PRIVATE)", True)):
        with module(f"import mmap\nm = {memory}\n") as name:
            script = f"import {name} as m\nprint(m.m[:4])\nm.m[:4] = b'LEAK'\n"
            lines, out = rounds(script, 3, "-m", name)
        assert out == "b'\\x00\\x00\\x00\\x00'\n" * 3, (memory, out)
        assert all((line["how"] == "waiting") == warm for line in lines), lines
        assert warm or all("share memory" in line["why_cold"] for line in lines), lines


MOVED = ("import sys\n"
         "lines = open('/proc/self/maps').read().splitlines()\n"
         "own = [l for l in lines if ' rw-p ' in l and l.endswith('python%d.%d' % sys.version_info[:2])]\n"
         "print('stays' if own else 'moved', 'stays' if [l for l in lines if '/libc.so' in l and ' r-xp ' in l] else 'moved')\n")


def what_a_modules_thread_may_be_writing_to_stays():
    """What it writes between the copy and the move would be lost, the end of a lock among it."""
    thread = ("import _thread, ctypes, time\n"
              "stop, stopped = False, _thread.allocate_lock()\n"
              "stopped.acquire()\n"
              "def work():\n"
              "    while not stop: time.sleep(0.0001)\n"
              "    stopped.release()\n"
              "_thread.start_new_thread(work, ())\n")
    # One that knows how to be forked, as those of libraries for arithmetic.
    knows = ("def prepare():\n"
             "    global stop\n"
             "    if not stop:\n"
             "        stop = True\n"
             "        stopped.acquire()\n"
             "prepare = ctypes.CFUNCTYPE(None)(prepare)\n"
             "ctypes.CDLL(None)['__register_atfork'](prepare, None, None, None)\n")
    if not can_collapse():
        raise Skip("this kernel makes no huge pages on demand")
    for text, own in (("", "moved"), (thread, "stays"), (thread + knows, "moved")):
        with module(text) as name:
            lines, out = rounds(MOVED, 3, "-m", name)
        assert all(line["how"] == "waiting" for line in lines), (text, lines)
        assert out == f"{own} moved\n" * 3, (text, out)


CHANGES = ("import ctypes\n"
           "libc, expat = ctypes.CDLL(None), ctypes.CDLL('libexpat.so.1')\n"
           "at = ctypes.cast(expat.XML_ParserCreate_MM, ctypes.c_void_p).value & -4096\n"
           "assert libc.mprotect(ctypes.c_void_p(at), 4096, %d) == 0\n")


def what_a_module_may_do_with_a_library_its_children_may():
    """Hooks are laid into code and tables; and of what cannot be read there is no copy."""
    write = "ctypes.memmove(at, ctypes.string_at(at, 16), 16)\n"
    for rights, use in ((7, write), (0, "")):
        with module(CHANGES % rights) as name:
            script = (f"import sys\nfrom {name} import at, ctypes\n{use}"
                      "for l in open('/proc/self/maps'):\n"
                      "    start, end = (int(x, 16) for x in l.split()[0].split('-'))\n"
                      "    if start <= at < end: print(l.split()[1])\n")
            lines, out = rounds(script, 2, "-m", name)
        assert {line["how"] for line in lines} == {"waiting"} and not any(line["signal"] for line in lines), (rights, lines)
        assert out == {7: "rwxp\n", 0: "---p\n"}[rights] * 2, out


def a_library_whose_file_ends_too_early_harms_nobody():
    """What lies behind the end of its file cannot be read."""
    try:
        ctypes.CDLL("libutil.so.1")
    except OSError as why:
        raise Skip("no small library is known here") from why
    found = [line.split()[-1] for line in open("/proc/self/maps", encoding="ascii") if "/libutil" in line]
    with open(found[0], "rb") as file:
        image = bytearray(file.read())
    at, size, n = struct.unpack_from("=Q", image, 32)[0], *struct.unpack_from("=HH", image, 54)
    for head in range(at, at + n * size, size):
        kind, rights, offset = struct.unpack_from("=IIQ", image, head)
        if kind == 1 and rights == 4 and offset:  # what is only read, behind the code
            struct.pack_into("=Q", image, head + 8, offset + (1 << 20))
            break
    else:
        raise Skip("its parts are others here")
    with among_modules(f"belljar_test_{os.getpid()}.bin", image) as path, \
            module(f"import ctypes\nctypes.CDLL({path!r})\n") as name:
        lines, out = rounds("print('here')", 2, "-m", name)
    assert out == "here\n" * 2 and {line["how"] for line in lines} == {"waiting"}, lines


def a_library_with_gaps_is_moved_up_to_the_first():
    if not can_collapse():
        raise Skip("this kernel makes no huge pages on demand")
    with open(SPARSE, "rb") as file:
        image = file.read()
    with among_modules(f"belljar_test_{os.getpid()}.bin", image) as path:
        # What does not fill a huge page stays, and that may be it: with so much more there is room.
        assert any(is_moved_up_to_its_gap(path, quarter << 19) for quarter in range(4))


def is_moved_up_to_its_gap(path, more):
    with module("import ctypes\n"
                f"more = b'x' * {more}\n"
                f"get = ctypes.CDLL({path!r}).sparse_text\n"
                "get.restype = ctypes.c_char_p\n") as name:
        script = (f"import {name} as m\nprint(m.get(), m.get(), end=' ')\n"
                  f"print([l.split()[1] for l in open('/proc/self/maps') if l.endswith({path!r} + '\\n')])\n")
        lines, out = rounds(script, 2, "-m", name)
    assert {line["how"] for line in lines} == {"waiting"}, lines
    assert "b'here' b'there'" in out and "---p" in out, out
    return "r-xp" not in out


def where_nothing_written_may_be_run_its_memory_is_moved_all_the_same():
    libc = ctypes.CDLL(None)
    set_mdwe, get_mdwe, refuse_exec_gain = 65, 66, 1
    if libc.prctl(get_mdwe, 0, 0, 0, 0) < 0:
        raise Skip("this kernel lets everybody run what he wrote")
    if not can_collapse():
        raise Skip("this kernel makes no huge pages on demand")
    lines, out = rounds(MOVED, 2, before=lambda: libc.prctl(set_mdwe, refuse_exec_gain, 0, 0, 0))
    assert all(line["how"] == "waiting" for line in lines) and out == "moved stays\n" * 2, (out, lines)


def what_a_box_can_write_is_never_imported():
    place = tempfile.mkdtemp(prefix="belljar-zygote-", dir="/opt" if os.geteuid() == 0 else None)
    try:
        os.chmod(place, 0o755)
        with open(f"{place}/evil.pth", "w", encoding="ascii") as file:
            file.write("import evil_mod\n")
        with open(f"{place}/evil_mod.py", "w", encoding="ascii") as file:
            file.write("import os, sys\nprint('evil', os.getuid(), file=sys.stderr)\n")
        inside = f"/usr/local/lib/python3.{sys.version_info[1]}/dist-packages"
        for option in ("--write", "--read"):
            a = box(option, f"{place}:{inside}", "--", "/bin/true")
            assert a["success"] and a["start"]["how"] == "sealed" and a["start"]["why_cold"], a["start"]
            # It does run where a cold Python runs it: in the box.
            assert a["stderr"]["data"] == "evil 1000\n", a["stderr"]
        a = box("--read", f"{place}:/data", "--", "/bin/ls", "/data")
        assert a["start"]["how"] == "waiting" and "evil.pth" in a["stdout"]["data"], a
        assert a["stderr"]["data"] == "", a["stderr"]
    finally:
        shutil.rmtree(place)


def a_call_with_few_files_starts_cold_and_says_so():
    a = box("--files", "8", "--", "/bin/echo", "hi")
    assert a["success"] and a["start"]["how"] == "cold" and "files" in a["start"]["why_cold"], a["start"]


def a_script_that_only_a_fresh_one_runs_right_is_told_as_such():
    for script, how in (("# -*- coding: latin-1 -*-\nprint('f\u00fcr')\n", "sealed"), ("print('fur')\n", "waiting")):
        lines, out = rounds(script, 2)
        assert len(out.splitlines()) == 2 and {line["how"] for line in lines} == {how}, (lines, out)
        assert all(bool(line["why_cold"]) == (how == "sealed") for line in lines), lines


def told(words, *options):
    """How one call with these options came to be, and what it printed."""
    read, write = os.pipe()
    with subprocess.Popen([RUN, "-w", "python", "-m", "json", "-m", "ssl", "-s", "1500", *options, "--", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, close_fds=False,
                          preexec_fn=lambda: os.dup2(write, 3)) as process:
        os.close(write)
        with os.fdopen(read) as reports:
            report = json.loads(reports.read())
        return report, process.communicate(timeout=PATIENCE_S)[0].decode()


def a_variable_that_modules_read_when_they_are_loaded_is_a_cold_start_and_named():
    words = ["python3", "-c", "import os; print(os.environ.get('OTHER'))"]
    line, out = told(words, "-e", "OTHER=1")
    assert (line["how"], line["why_cold"], out) == ("waiting", "", "1\n"), (line, out)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OPENSSL_CONF", "SSL_CERT_FILE", "MPLBACKEND",
                 "PYTHONPATH", "LD_LIBRARY_PATH", "LC_ALL"):
        line, out = told(words, "-s", "1", "-e", "OTHER=1", "-e", name + "=/work/s3cret")
        assert line["how"] in ("cold", "sealed") and out == "1\n", (name, line, out)
        assert line["why_cold"].startswith(name + ",") and "s3cret" not in line["why_cold"], line


def a_module_of_the_callers_wins_over_one_that_is_loaded():
    """As it does for python3: beside -c and beside a script, and by PYTHONPATH."""
    with tempfile.TemporaryDirectory() as place:
        path = f"{place}/json.py"
        with open(path, "w", encoding="ascii") as file:
            file.write("dumps = lambda what: 'mine'\nif __name__ == '__main__': import json; print(json.dumps(1))\n")
        text = "import json; print(json.dumps(1))"
        for words, options in ((["python3", "-c", text], []), (["python3", "/work/json.py"], []),
                               (["python3", "-c", "import os; os.chdir('/'); " + text], ["-e", "PYTHONPATH=/work"])):
            line, out = told(words, "-f", path, *options)
            assert line["how"] in ("cold", "sealed") and line["why_cold"], (words, line)
            assert out == "mine\n", (words, line, out)
        os.rename(path, f"{place}/jsonish.py")
        line, out = told(["python3", "-c", text], "-f", f"{place}/jsonish.py")
        assert (line["how"], out) == ("waiting", "1\n"), (line, out)


SHARED = ("print('maps', [l for l in open('/proc/self/maps') if l.split()[1][3] == 's' and 'w' in l.split()[1]], flush=True)\n"
          "getline = lambda *a: ''\ngetlines = lambda *a: []\n_register_code = lambda *a: None  # for a -c, from 3.13 on\n")


def nothing_of_the_callers_runs_before_what_is_shared_is_gone():
    """Python imports modules to show a warning about the source, and to read it in a code that it names."""
    with tempfile.TemporaryDirectory() as place:
        def file(name, text):
            with open(f"{place}/{name}", "w", encoding="ascii") as made:
                made.write(text)
            return ("-f", f"{place}/{name}")

        beside = (*file("linecache.py", SHARED), *file("quopri.py", SHARED))
        for source in ("x = 1\nprint('here', x is 1)\n",
                       "# coding: quopri_codec utf-8\nprint('here')\n",
                       "#" + " " * 500 + "coding: quopri_codec\nprint('here')\n",
                       "import linecache\nprint('here')\n"):
            line, out = told(["python3", "/work/main.py"], "-m", "random", *beside, *file("main.py", source))
            assert line["how"] in ("waiting", "sealed") and "belljar" not in out, (source, line, out)
            assert out.replace("maps []\n", "") in ("here\n", "here True\n", ""), (source, line, out)
        # It is run where it is asked for.  From 3.13 on a -c imports it, so that it is among what is loaded, and theirs wins.
        how, at_once = (("cold", "sealed"), "maps []\n") if sys.version_info >= (3, 13) else (("waiting",), "")
        assert line["how"] in how and out == "maps []\nhere\n", (line, out)
        line, out = told(["python3", "-c", "print('here', 1 is 1)"], "-m", "random", *beside)
        assert line["how"] in how and out == at_once + "here True\n", (line, out)


def what_it_is_said_to_have_is_what_it_has():
    """But for what is left of its last huge page, which nobody else tells of."""
    seen = []

    def look(pid, _):
        time.sleep(0.1)  # the next child has been born, and has given its rights up
        seen.append(max((int(read_status(zygote)["VmRSS"].split()[0]) << 10 for zygote in zygotes(pid)), default=0))

    for options in ((), ("-m", "ssl", "-m", "json")):
        seen.clear()
        lines, _ = rounds("print(1)", 3, "-r", "400", *options, meanwhile=look)
        more = [line["baseline"] - has for line, has in zip(lines, seen) if has]
        assert len(more) == 3 and all(-1 << 20 < n < 2 << 20 for n in more), (more, seen, lines)


def the_limit_and_the_account_are_the_calls_own():
    lines, _ = rounds("print(1)", 2)
    for line in lines:
        assert line["memory"] < line["baseline"], line
    a = box("--memory", "32m", "--", "python3", "-c", "x = bytearray(64 << 20)")
    assert a["kill_reason"] == "memory" or a["exit_code"] == 1, a
    a = box("--cpu", "1s", "--wall", "20s", "--", "python3", "-c", "while True: pass")
    assert a["kill_reason"] == "cpu", a
    assert a["resource_usage"]["cpu_user_ms"] + a["resource_usage"]["cpu_system_ms"] < 2500, a


TESTS = [
    one_that_is_killed_is_replaced_and_the_calls_between_are_cold,
    a_child_that_does_not_begin_is_one_that_never_ran,
    an_interpreter_has_most_of_the_filter_and_its_children_all_of_it,
    one_is_renewed_after_its_calls,
    nothing_of_a_call_is_there_in_the_next,
    two_calls_draw_other_numbers,
    a_usual_call_touches_few_pages,
    a_usual_end_touches_few_pages,
    a_child_has_no_memory_in_common_with_anybody,
    memory_lies_in_huge_pages_where_the_kernel_makes_them,
    what_is_only_read_of_a_library_is_one_mapping,
    who_traces_the_host_kills_nobody,
    a_module_that_would_share_memory_between_calls_makes_them_cold,
    what_a_modules_thread_may_be_writing_to_stays,
    what_a_module_may_do_with_a_library_its_children_may,
    a_library_whose_file_ends_too_early_harms_nobody,
    a_library_with_gaps_is_moved_up_to_the_first,
    where_nothing_written_may_be_run_its_memory_is_moved_all_the_same,
    what_a_box_can_write_is_never_imported,
    a_call_with_few_files_starts_cold_and_says_so,
    a_script_that_only_a_fresh_one_runs_right_is_told_as_such,
    a_variable_that_modules_read_when_they_are_loaded_is_a_cold_start_and_named,
    a_module_of_the_callers_wins_over_one_that_is_loaded,
    nothing_of_the_callers_runs_before_what_is_shared_is_gone,
    what_it_is_said_to_have_is_what_it_has,
    the_limit_and_the_account_are_the_calls_own,
]


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP without a memory group nothing is warm, and only root has one everywhere")
        return 0
    print(f"1..{len(TESTS)}")
    failed = False
    for i, test in enumerate(TESTS, 1):
        start = time.monotonic()
        try:
            test()
            print(f"ok {i} - {test.__name__} # {time.monotonic() - start:.1f} s", flush=True)
        except Skip as why:
            print(f"ok {i} - {test.__name__} # SKIP {why}", flush=True)
        except AssertionError as why:
            failed = True
            print(f"not ok {i} - {test.__name__}\n# " + str(why).replace("\n", "\n# "), flush=True)
    return failed


sys.exit(main())
