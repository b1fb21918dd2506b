# SPDX-License-Identifier: Apache-2.0
# zygote.py - the interpreter that waits: what it imports, and how its children become `python3 script.py`.
#
# This text, with zygote_end.py and zygote_driver.py behind it, is what `python3 -c TEXT EXTENSION CONTROL MODULE...` runs.  The extension's serve() forks in a
# thread without Python frames; each child calls, from C,
#
#     driver.ahead()                      before it has heard of its call
#     code, globals = driver.begin(argv, env)
#     PyEval_EvalCode(code, globals, globals)
#     for step in driver.ending(exc): step()
#
# where C, not Python, makes each call: a user's frame then has nothing of ours beneath it, neither while
# the program runs nor in an atexit function or a __del__.  Before ending() C lets go of the code, the
# globals and the exception, or nothing of the program would ever be freed.  A step that raises: C stores the
# exception as driver.raised and goes on.  What a program may have bent (builtins, sys) is used by references
# from before it ran.
#
# Everything that a cold start does and this does not know (a directory as script, a module of the user's that
# shadows one which is loaded, an odd encoding) is a cold start: the child becomes that python3 by exec.
#
# The extension may have leave(status): exit(3), so that C's own buffers are written; and finalize(status):
# Py_Exit(3), the whole of it, which alone stops daemon threads.  One that has expect() and expect_end() looks at calls
# itself: of most it has begin_usual() in begin()'s place, and ends them without ending(), of which it calls only what
# is left where it finds something otherwise.
MAIN = list(globals())  # the names in a new __main__, in their order

import sys

BARE = list(sys.modules)  # what a python3 has that was asked for nothing
if sys.version_info >= (3, 13) and "linecache" in BARE:
    del BARE[BARE.index("linecache") :]  # with what it imports: only a -c has these
BUILTINS = sys.modules["builtins"]
__builtins__ = dict(BUILTINS.__dict__)  # ours: a program may do with the others what it likes

import gc
import atexit
import posix
from _imp import extension_suffixes
from _functools import partial
from _signal import SIG_DFL, SIGINT, SIGPIPE, SIGXFSZ, signal
from _thread import _count, allocate_lock, start_new_thread, stack_size
from _warnings import warn_explicit
from _weakref import ref

AUDIT, DISPLAY, MODULES, UNRAISABLE = sys.audit, sys.__excepthook__, sys.modules, sys.__unraisablehook__
TRACEBACK, WITH_TRACEBACK = BaseException.__traceback__.__get__, BaseException.with_traceback
COLLECT, RUN_EXIT = gc.collect, atexit._run_exitfuncs
LATER = ["open", "quit", "exit", "copyright", "credits", "license", "help"]
FLUSHING = "Exception ignored %s flushing sys.stdout" % ("on" if sys.version_info < (3, 14) else "while")
FUNCTION, MODULE = type(lambda: 0), type(sys)
STREAMS = ("stdin", "stdout", "stderr")
# What Py_Finalize sets to None before modules go; is_finalizing() is true from then on.
GONE = ("path", "argv", "ps1", "ps2", "last_type", "last_value", "last_traceback", "last_exc", "path_hooks",
        "path_importer_cache", "meta_path", "__interactivehook__")
UNBUFFERED = sys.stderr is not None and sys.stderr.write_through
ORIG_ARGV = hasattr(sys, "orig_argv")
# Of these no value in __main__ runs anything when it is freed.
SIMPLE = frozenset(map(type, (None, 0, 0.0, 0j, "", b"", True, len, range(0), ...)))
# What makes a name beside the script a module; "" for a directory.
SUFFIXES = ("", ".py", ".pyc", *extension_suffixes())
SOURCE_MAX = 16 << 20
SCRIPT = "/work/main.py"  # as most are called
LOADER = MODULES["_frozen_importlib_external"].SourceFileLoader
SEEDED = ("numpy.random", "torch", "_ssl", "tempfile", "multiprocessing.process")
REHEARSAL = b"import sys\ndef f(x):\n    return x\nfor i in range(2):\n    print(f(''), end='')\n"
STACK = 16 << 20  # a main thread has 8 MiB and may be given more; some libcs give other threads a fraction


def kind(fd):
    """Of descriptors of one kind Python makes the same stream."""
    try:
        st = posix.fstat(fd)
    except OSError:
        return None
    form = st.st_mode & 0o170000
    if form in (0o010000, 0o140000):
        return "pipe"
    if form == 0o020000 and st.st_rdev == posix.makedev(1, 3):
        return "null"
    return "other"


def size(fd):
    """Of a file; of anything else: -1."""
    st = posix.fstat(fd)
    return st.st_size if st.st_mode & 0o170000 == 0o100000 else -1


def stream(fd, like):
    """sys.stdin, stdout or stderr, as create_stdio() of CPython makes it."""
    from _io import TextIOWrapper, open as io_open

    write = fd > 0
    unbuffered = UNBUFFERED
    buffer = io_open(fd, "wb" if write else "rb", 0 if unbuffered and write else -1, closefd=False)
    raw = buffer if unbuffered and write else buffer.raw
    raw.name = "<" + STREAMS[fd] + ">"
    lines = not unbuffered and (fd == 2 or raw.isatty())
    text = TextIOWrapper(buffer, like.encoding, like.errors, "\n", lines, unbuffered)
    text.mode = "w" if write else "r"
    return text
