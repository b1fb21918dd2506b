# SPDX-License-Identifier: Apache-2.0
# zygote.py - the interpreter that waits: what it imports, and how its children become `python3 script.py`.
#
# This text is what `python3 -c TEXT EXTENSION CONTROL MODULE...` runs.  The extension's serve() forks in a
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
# exception as driver.raised and goes on.  finish() does the same from Python.
#
# Everything that a cold start does and this does not know (a directory as script, a module of the user's that
# shadows one which is loaded, an odd encoding) is a cold start: the child becomes that python3 by exec.
#
# The extension may have leave(status): exit(3), so that C's own buffers are written; and finalize(status):
# Py_Exit(3), the whole of it, which alone stops daemon threads.
MAIN = list(globals())  # the names in a new __main__, in their order

import sys

BARE = list(sys.modules)  # what a python3 has that was asked for nothing

import gc
import atexit
import posix
from _functools import partial
from _signal import SIG_DFL, SIGINT, SIGPIPE, SIGXFSZ, signal
from _thread import _count, allocate_lock, start_new_thread, stack_size
from _weakref import ref

BUILTINS = sys.modules["builtins"]
LATER = ["open", "quit", "exit", "copyright", "credits", "license", "help"]
FLUSHING = "Exception ignored %s flushing sys.stdout" % ("on" if sys.version_info < (3, 14) else "while")
MODULE = type(sys)
STREAMS = ("stdin", "stdout", "stderr")
# What Py_Finalize sets to None before modules go; is_finalizing() is true from then on.
GONE = ("path", "argv", "ps1", "ps2", "last_type", "last_value", "last_traceback", "last_exc", "path_hooks",
        "path_importer_cache", "meta_path", "__interactivehook__")
UNBUFFERED = sys.stderr is not None and sys.stderr.write_through
ORIG_ARGV = hasattr(sys, "orig_argv")
# Of these no value in __main__ runs anything when it is freed.
SIMPLE = frozenset(map(type, (None, 0, 0.0, 0j, "", b"", True, len, range(0), ...)))
SOURCE_MAX = 16 << 20
REHEARSAL = b"import sys\ndef f(x):\n    return x\nfor i in range(2):\n    print(f(''), end='')\n"
STACK = 8 << 20  # what a main thread has; some libcs give other threads a fraction


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


def write_error(text):
    try:
        sys.stderr.write(text)
    except Exception:
        pass


def example():
    """What a sys.unraisablehook gets; from 3.13 on one can be made out of another."""
    seen = []

    class Bad:
        def __del__(self):
            raise ValueError

    old, sys.unraisablehook = sys.unraisablehook, seen.append
    Bad()
    sys.unraisablehook = old
    return seen[0] if hasattr(seen[0], "__replace__") else None


def unraisable(like, what, message, exc):
    """PyErr_WriteUnraisable()."""
    hook = getattr(sys, "unraisablehook", None) or sys.__unraisablehook__
    fields = {"exc_type": type(exc), "exc_value": exc, "exc_traceback": exc.__traceback__, "err_msg": message,
              "object": what}
    if like is not None:
        hook(like.__replace__(**fields))
    elif hook is not sys.__unraisablehook__:
        hook(type("UnraisableHookArgs", (), fields)())
    else:
        write_error("Exception ignored in: " + repr(what) + "\n")
        sys.__excepthook__(type(exc), exc, exc.__traceback__)


class Cold(Exception):
    """Only a cold start does this right."""


FUNCTION = type(kind)


class Driver:
    def __init__(self, modules, leave=None, finalize=None):
        self.leave = leave or posix._exit
        self.finalize = finalize if sys.version_info < (3, 13) else None  # it wants the first thread from then on
        self.raised = None
        self.early = None
        self.script = False
        self.site_of = None
        if sys.path and sys.path[0] == "":
            del sys.path[0]  # nobody's directory yet
        for name in modules:
            __import__(name)
        self.like = example()
        self.hide()
        self.kinds = [kind(fd) for fd in range(3)]
        self.null = self.null_stdin()
        self.environ = dict(sys.modules["os"].environ)
        self.user_site = self.has_user_site(self.environ.get("HOME"))
        self.base = frozenset(sys.modules)
        self.loaded = self.shadowable()
        self.sizes = {name: len(module.__dict__) for name, module in sys.modules.items() if type(module) is MODULE}
        self.builtins = len(BUILTINS.__dict__)
        self.sys = len(sys.__dict__)
        # So that forgetting one does not free it; stdin gives way to null in most calls.
        self.kept = [sys.stdin, *sys.modules.values()]
        for _ in range(20):  # until the interpreter has nothing more to learn about this code, and writes no more
            self.rehearse()
        gc.collect()
        gc.freeze()

    def hide(self):
        """Modules that only we wanted leave no trace.  In 3.9 the functions of atexit live in the module.

        From 3.13 on every -c, also ours, is a text in linecache, and traceback prints what nobody caught.
        """
        if sys.version_info >= (3, 13):
            import linecache
            import traceback  # noqa: F401

            linecache.clearcache()
            getattr(linecache, "_interactive_cache", {}).clear()
        for name in ("gc", "_functools", "atexit"):
            if name not in BARE and (name != "atexit" or sys.version_info >= (3, 10)):
                sys.modules.pop(name, None)

    def shadowable(self):
        """Names of modules that a file in the script's directory would have been taken for."""
        found = set()
        for name in self.base.difference(BARE):
            spec = getattr(sys.modules[name], "__spec__", None)
            if spec is None or spec.origin not in ("built-in", "frozen"):
                found.add(name.partition(".")[0])
        return found

    def null_stdin(self):
        """stdin is a pipe or /dev/null; the second is kept ready."""
        saved = posix.dup(0)
        try:
            fd = posix.open("/dev/null", posix.O_RDONLY | posix.O_CLOEXEC)
            posix.dup2(fd, 0)
            posix.close(fd)
            return stream(0, sys.stdin)
        except OSError:
            return None
        finally:
            posix.dup2(saved, 0)
            posix.close(saved)

    def has_user_site(self, home):
        if home != self.site_of:
            self.site_of = home
            self.site = "%s/.local/lib/python%d.%d/site-packages" % (home, *sys.version_info[:2])
        if not home or sys.flags.no_user_site:
            return False
        try:
            return posix.stat(self.site).st_mode & 0o170000 == 0o040000
        except OSError:
            return False

    # -- before the call ----------------------------------------------------------------

    def ahead(self):
        """Nothing here knows a caller: what two children must not share, and pages every call touches."""
        self.threads = _count()  # the one that serves may be among them
        self.reseed()
        self.rehearse()
        gc.freeze()
        self.main = self.new_main()  # what is frozen is never collected

    def reseed(self):
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:
            numpy.seed()
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.seed()
        process = sys.modules.get("multiprocessing.process")
        if process is not None:
            process.current_process()._config["authkey"] = process.AuthenticationString(posix.urandom(32))

    def new_main(self):
        old = sys.modules["__main__"]
        new = MODULE("__main__")
        names = new.__dict__
        for name in MAIN:
            names[name] = old.__dict__[name]
        names["__doc__"] = None
        if "__annotations__" in names:
            names["__annotations__"] = {}
        return new

    def rehearse(self):
        """The way of a call, with a program that does nothing.

        A page that is written to here, if only to count a reference, is this child's own when the call comes.
        """
        argv, path = sys.argv, list(sys.path)
        names = self.new_main().__dict__
        try:
            self.read("/proc/self/comm")  # of no size
        except Cold:
            pass
        try:
            self.set_environment(["python3"], dict(self.environ))
            for fd in range(3):
                kind(fd)
            if ORIG_ARGV:
                sys.orig_argv = list(sys.orig_argv)
            exec(self.take_script(["python3", "/work/main.py"], names, REHEARSAL), names)
        except Cold:
            pass
        for out in (*self.flush_io(), *self.flush_std()):
            out()
        steps = self.ending(None)
        next(steps)
        steps.close()
        self.is_simple(names)
        self.script = False
        sys.argv, sys.path[:] = argv, path
        gc.collect()

    # -- the call -----------------------------------------------------------------------

    def begin(self, argv, env):
        try:
            return self.begin_warm(argv, env)
        except Cold:
            self.exec_cold(argv, env)
        except (SyntaxError, SystemExit) as exc:
            self.early = exc
            raise

    def begin_warm(self, argv, env):
        if len(argv) < 2 or (argv[1][:1] == "-" and argv[1] != "-c") or (argv[1] == "-c" and len(argv) < 3):
            raise Cold
        self.set_environment(argv, env)
        self.set_streams()
        sys.modules["__main__"] = self.main
        process = sys.modules.get("multiprocessing.process")
        if process is not None:
            process.ORIGINAL_DIR = posix.getcwd()
        if ORIG_ARGV:
            sys.orig_argv = list(argv)
        names = self.main.__dict__
        del self.main
        if argv[1] == "-c":
            return self.take_text(argv), names
        return self.take_script(argv, names), names

    def exec_cold(self, argv, env):
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_DFL)
        sys.modules["os"].execvpe(argv[0], argv, env)

    def set_environment(self, argv, env):
        old = self.environ
        if env == old and list(env) == list(old):
            if self.user_site != self.has_user_site(env.get("HOME")):
                raise Cold
            return
        if env.get("PATH") != old.get("PATH") and "/" not in argv[0]:
            self.check_program(argv[0], env.get("PATH", ""))
        if self.user_site != self.has_user_site(env.get("HOME")):
            raise Cold
        environ = sys.modules["os"].environ
        environ.clear()
        environ.update(env)
        if env.get("TZ") != old.get("TZ"):
            sys.modules["time"].tzset()

    def check_program(self, name, path):
        """Another PATH may mean another python3."""
        for where in path.split(":"):
            found = where + "/" + name
            if posix.access(found, posix.X_OK):
                if found != sys.executable:
                    raise Cold
                return
        raise Cold

    def set_streams(self):
        for fd in range(3):
            now = kind(fd)
            if now == self.kinds[fd] and now != "other":
                continue
            if now is None:
                new = None
            elif fd == 0 and now == "null" and self.null is not None:
                new = self.null
            else:
                new = stream(fd, getattr(sys, STREAMS[fd]) or self.null)
            setattr(sys, STREAMS[fd], new)
            setattr(sys, "__" + STREAMS[fd] + "__", new)

    def set_path(self, first):
        """A module beside the script that would have come before one of ours: cold."""
        if getattr(sys.flags, "safe_path", False):
            return
        if self.loaded:
            try:
                beside = posix.listdir(first or ".")
            except OSError:
                beside = ()
            for name in beside:
                if name.partition(".")[0] in self.loaded:
                    raise Cold
        sys.path.insert(0, first)

    def take_text(self, argv):
        text = argv[2] + "\n"
        if sys.version_info < (3, 10) and "coding" in text[:400]:
            raise Cold  # it is obeyed there
        if sys.version_info >= (3, 14) and text.lstrip("\n")[:1] in " \t\f\r":
            raise Cold  # it is dedented there
        try:
            text.encode()
        except UnicodeError:
            raise Cold from None
        self.set_path("")
        sys.argv = ["-c", *argv[3:]]
        code = self.compile(text, "<string>")
        if sys.version_info >= (3, 13):
            import linecache

            key = code if hasattr(linecache, "_interactive_cache") else "<string>"
            linecache._register_code(key, text, "<string>")
        return code

    def take_script(self, argv, names, source=None):
        sys.argv = argv[1:]
        name = argv[1] if argv[1][:1] == "/" else posix.getcwd() + "/" + argv[1]
        where = "/work/main.py"
        if source is None:
            source, where = self.read(name)
        self.check_source(source, name)
        self.set_path(where[:where.rindex("/")] or "/")
        names["__file__"] = name
        names["__cached__"] = None
        self.script = True
        names["__loader__"] = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", name)
        return self.compile(source, name)

    def read(self, name):
        try:
            fd = posix.open(name, posix.O_RDONLY | posix.O_CLOEXEC)
        except OSError:
            raise Cold from None  # its words are better than ours
        try:
            st = posix.fstat(fd)
            if st.st_mode & 0o170000 != 0o100000 or st.st_size > SOURCE_MAX:
                raise Cold
            source = posix.read(fd, st.st_size + 1)
            where = self.real(name, fd)
        finally:
            posix.close(fd)
        if len(source) != st.st_size:
            raise Cold
        return source, where

    def real(self, name, fd):
        """Without links; the kernel has just found out."""
        try:
            where = posix.readlink("/proc/self/fd/%d" % fd)
        except OSError:
            where = ""
        if where[:1] == "/" and where[-10:] != " (deleted)":
            return where
        return sys.modules["os"].path.realpath(name)

    def check_source(self, source, name):
        """compile() reads bytes as the file's own parser does, but for what is refused here."""
        if name.endswith(".pyc") or b"\0" in source:
            raise Cold
        head = source[:400].split(b"\n", 2)[:2]
        for line in head:
            if b"coding" in line and b"utf-8" not in line.lower():
                raise Cold
        if not source.isascii():
            try:
                source.decode()
            except UnicodeError:
                raise Cold from None

    def compile(self, source, name):
        try:
            return compile(source, name, "exec", 0, True)
        except SyntaxError as exc:
            # The file's own parser says it otherwise if it came to the end.
            newline = "\n" if type(source) is str else b"\n"
            if not exc.lineno or exc.lineno >= source.count(newline):
                raise Cold from None
            raise
        except Exception:
            raise Cold from None

    # -- the end ------------------------------------------------------------------------

    def finish(self, exc):
        for step in self.ending(exc):
            try:
                step()
            except BaseException as raised:
                tb = raised.__traceback__
                self.raised = raised.with_traceback(tb and tb.tb_next)

    def raised_by(self):
        exc, self.raised = self.raised, None
        return exc

    def ending(self, exc):
        """Py_RunMain() after the program, and Py_FinalizeEx(): each step that may run a user's code is yielded."""
        status, interrupted = 0, False
        if self.early is not None:
            exc = self.early.with_traceback(None)
            exc.__context__ = exc.__cause__ = None
            self.early = None
        elif self.script:
            yield from self.flush_io()
        if exc is not None:
            interrupted = type(exc) is KeyboardInterrupt
            status = yield from self.report(exc)
            exc = None
        if self.script and not self.exited:
            names = sys.modules["__main__"].__dict__ if "__main__" in sys.modules else {}
            names.pop("__file__", None)
            names.pop("__cached__", None)
            names = None
        yield from self.stop_threads()
        yield atexit._run_exitfuncs
        self.raised = None
        if _count() > self.threads and self.finalize is not None:
            yield partial(self.finalize, 130 if interrupted else status)
        if (yield from self.flush_std()):
            status = 120
        if gc.isenabled():
            yield gc.collect
        if not self.is_simple(getattr(sys.modules.get("__main__"), "__dict__", {1: self})):
            yield from self.drop_modules()
        yield from self.flush_io()  # what a __del__ printed; nobody hears of an error any more
        if interrupted:
            self.die_of_sigint()
        self.leave(status & 0xFF)

    exited = False

    def flush_io(self):
        for name in ("stderr", "stdout"):
            out = getattr(sys, name, None)
            if out is not None:
                flush = getattr(out, "flush", None)
                if flush is not None:
                    yield flush
        self.raised = None

    def flush_std(self):
        failed = False
        for name in ("stdout", "stderr"):
            out = getattr(sys, name, None)
            if out is None or self.is_closed(out):
                continue
            yield out.flush
            exc = self.raised_by()
            if exc is not None:
                failed = True
                if name == "stdout":
                    yield self.unraisable(out, FLUSHING, exc)
                    self.raised = None
        return failed

    def unraisable(self, what, message, exc):
        if self.like is None:
            return partial(unraisable, None, what, None, exc)
        return partial(unraisable, self.like, None, message, exc)

    def is_closed(self, out):
        try:
            return bool(out.closed)
        except Exception:
            return False

    def stop_threads(self):
        threading = sys.modules.get("threading")
        shutdown = getattr(threading, "_shutdown", None)
        if shutdown is None:
            return
        yield shutdown
        exc = self.raised_by()
        if exc is not None:
            yield self.unraisable(threading, "Exception ignored on threading shutdown", exc)
            self.raised = None

    def report(self, exc):
        """PyErr_Print(): returns the exit status."""
        if isinstance(exc, SystemExit):
            return (yield from self.exit_status(exc))
        sys.last_type, sys.last_value, sys.last_traceback = type(exc), exc, exc.__traceback__
        if sys.version_info >= (3, 12):
            sys.last_exc = exc
        missing = not hasattr(sys, "excepthook")
        hook = getattr(sys, "excepthook", None)
        sys.audit("sys.excepthook", hook, type(exc), exc, exc.__traceback__)
        if missing:
            write_error("sys.excepthook is missing\n")
            yield partial(sys.__excepthook__, type(exc), exc, exc.__traceback__)
            return 1
        if callable(hook):
            yield partial(hook, type(exc), exc, exc.__traceback__)
        else:
            self.raised = TypeError("'%s' object is not callable" % type(hook).__name__)
        second = self.raised_by()
        if isinstance(second, SystemExit):
            return (yield from self.exit_status(second))
        if second is not None:
            write_error("Error in sys.excepthook:\n")
            yield partial(sys.__excepthook__, type(second), second, second.__traceback__)
            write_error("\nOriginal exception was:\n")
            yield partial(sys.__excepthook__, type(exc), exc, exc.__traceback__)
            self.raised = None
        return 1

    def exit_status(self, exc):
        self.exited = True
        code = getattr(exc, "code", exc)
        exc.__traceback__ = exc.__context__ = exc.__cause__ = None
        if code is None:
            return 0
        if isinstance(code, int):
            return code if -(1 << 63) <= code < 1 << 63 else -1
        yield partial(self.write_exit, code)
        self.raised = None
        return 1

    def write_exit(self, code):
        try:
            sys.stderr.write(str(code))
        finally:
            write_error("\n")

    def is_simple(self, names):
        """Nobody could see what drop_modules() does: no object that is freed would run or write anything."""
        if len(sys.__dict__) != self.sys or len(BUILTINS.__dict__) != self.builtins:
            return False
        if len(sys.modules) != len(self.base):
            return False
        for value in names.values():
            kind = type(value)
            if kind is FUNCTION:
                if value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__:
                    return False
            elif kind is MODULE:
                if value is not BUILTINS and len(value.__dict__) != self.sizes.get(value.__name__):
                    return False
            elif kind not in SIMPLE and value is not names.get("__loader__") and value is not names.get("__annotations__"):
                return False
        return True

    def drop_modules(self):
        """finalize_modules(): the user's modules are freed, those that the zygote loaded are only forgotten."""
        modules = sys.modules
        added = [modules[name] for name in modules if name not in self.base]
        added.insert(0, modules.get("__main__"))
        added = [module for module in added if type(module) is MODULE]
        left = [ref(module) for module in added]
        more = self.names_added(added)
        added = None
        gone = {name: None for name in GONE if name in sys.__dict__}
        for name in STREAMS:
            gone[name] = getattr(sys, "__" + name + "__", None)
        gone["is_finalizing"] = partial(bool, True)
        yield partial(sys.__dict__.update, gone)
        gone = None
        yield partial(modules.update, dict.fromkeys(modules))
        yield modules.clear
        yield from self.drop_builtins()
        yield gc.collect
        for alive in reversed(left):
            module = alive()
            if module is not None:
                names = module.__dict__
                module = None
                yield from self.clear_names(names)
                names = None
        for names, keys in more:
            yield partial(names.update, dict.fromkeys(keys))
        self.raised = None

    def names_added(self, added):
        """What the program put into modules of ours: only those can matter that it had a name for."""
        found = {}
        for module in added:
            for value in list(module.__dict__.values()):
                if type(value) is MODULE:
                    size = self.sizes.get(value.__name__)
                    if size is not None and len(value.__dict__) > size:
                        found[value.__name__] = value.__dict__, list(value.__dict__)[size:]
        return list(found.values())

    def drop_builtins(self):
        """builtins are as they were before io and site added to them."""
        names = BUILTINS.__dict__
        later = LATER if len(names) == self.builtins else [*LATER, *list(names)[self.builtins:]]
        yield partial(list, map(names.pop, later, later))

    def clear_names(self, names):
        """_PyModule_Clear(): first what begins with one underscore, then all but __builtins__."""
        first = [k for k in names if type(k) is str and k[:1] == "_" and k[1:2] != "_"]
        yield partial(names.update, dict.fromkeys(first))
        rest = [k for k in names if type(k) is str and k != "__builtins__"]
        yield partial(names.update, dict.fromkeys(rest))

    def die_of_sigint(self):
        signal(SIGINT, SIG_DFL)
        posix.kill(posix.getpid(), SIGINT)
        self.leave(130)


def load(path):
    """The extension lies where its slot put it; no box has it."""
    machinery = sys.modules["_frozen_importlib_external"]
    loader = machinery.ExtensionFileLoader("zygote_python", path)
    spec = sys.modules["_frozen_importlib"].ModuleSpec("zygote_python", loader, origin=path)
    module = loader.create_module(spec)
    loader.exec_module(module)
    sys.modules.pop("zygote_python", None)
    return module


def main(extension, control_fd, modules):
    ext = load(extension)
    try:
        driver = Driver(modules, getattr(ext, "leave", None), getattr(ext, "finalize", None))
    except BaseException as exc:
        ext.fail(control_fd, "%s: %s" % (type(exc).__name__, exc))
        posix._exit(1)
    stack_size(STACK)
    start_new_thread(ext.serve, (control_fd, driver))
    stack_size(0)
    lock = allocate_lock()
    lock.acquire()
    lock.acquire()


if __name__ == "__main__" and len(sys.argv) > 2:
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
