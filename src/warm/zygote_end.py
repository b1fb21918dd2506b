# SPDX-License-Identifier: Apache-2.0
# zygote_end.py - how a program in a warm child ends: what Py_RunMain() and Py_FinalizeEx() do that it could notice.
#
# Not all of it: to free what the zygote loaded would copy its memory page by page, for nobody.  The second part
# of the text that begins with zygote.py.


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
    hook = getattr(sys, "unraisablehook", None) or UNRAISABLE
    fields = {"exc_type": type(exc), "exc_value": exc, "exc_traceback": TRACEBACK(exc), "err_msg": message,
              "object": what}
    if like is not None:
        hook(like.__replace__(**fields))
    elif hook is not UNRAISABLE:
        hook(type("UnraisableHookArgs", (), fields)())
    else:
        write_error("Exception ignored in: " + repr(what) + "\n")
        DISPLAY(type(exc), exc, TRACEBACK(exc))


class Ending:
    """Needs base, builtins, sizes, sys: how things were before the program; and script, early, threads."""

    raised = None  # by the last step
    early = None  # by what came before the program
    script = exited = False

    def raised_by(self):
        exc, self.raised = self.raised, None
        return exc

    def ending(self, exc):
        """Py_RunMain() after the program, and Py_FinalizeEx(): each step that may run a user's code is yielded."""
        status, interrupted = 0, False
        if self.early is not None:
            exc = WITH_TRACEBACK(self.early, None)
            exc.__context__ = exc.__cause__ = None
            self.early = None
        elif self.script:
            yield from self.flush_io()
        if exc is not None:
            interrupted = type(exc) is KeyboardInterrupt
            status = yield from self.report(exc)
            exc = None
        yield from self.ending_flushed(status, interrupted)

    # From here on for who is done with what comes before: zygote_finish.c, where it finds something else than usual.

    def ending_flushed(self, status=0, interrupted=False):
        if self.script and not self.exited:
            names = MODULES["__main__"].__dict__ if "__main__" in MODULES else {}
            names.pop("__file__", None)
            names.pop("__cached__", None)
            names = None
        yield from self.stop_threads()
        yield RUN_EXIT
        self.raised = None
        yield from self.finish(status, interrupted)

    def finish(self, status=0, interrupted=False):
        if _count() > self.threads and self.finalize is not None and not interrupted:
            yield partial(self.finalize, status & 0xFF)
        if (yield from self.flush_std()):
            status = 120
        if gc.isenabled():
            yield COLLECT
        yield from self.forget(status, interrupted)

    def forget(self, status, interrupted=False):
        if not self.is_simple(MODULES.get("__main__")):
            yield from self.drop_modules()
        yield from self.flush_io()  # what a __del__ printed; nobody hears of an error any more
        if interrupted:
            self.die_of_sigint()
        self.leave(status & 0xFF)

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
            try:
                flush = out.flush
            except Exception as exc:
                self.raised = WITH_TRACEBACK(exc, None)
            else:
                yield flush
            exc = self.raised_by()
            if exc is not None:
                failed = True
                if name == "stdout":
                    yield self.flush_failed(out, exc)
                    self.raised = None
        return failed

    def flush_failed(self, out, exc):
        return self.unraisable(out, FLUSHING, exc)

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
        threading = MODULES.get("threading")
        shutdown = getattr(threading, "_shutdown", None)
        if shutdown is None:
            return
        yield shutdown
        exc = self.raised_by()
        if exc is not None:
            yield self.shutdown_failed(threading, exc)
            self.raised = None

    def shutdown_failed(self, threading, exc):
        return self.unraisable(threading, "Exception ignored on threading shutdown", exc)

    def report(self, exc):
        """PyErr_Print(): returns the exit status."""
        if isinstance(exc, SystemExit):
            return (yield from self.exit_status(exc))
        sys.last_type, sys.last_value, sys.last_traceback = type(exc), exc, TRACEBACK(exc)
        if sys.version_info >= (3, 12):
            sys.last_exc = exc
        missing = not hasattr(sys, "excepthook")
        hook = getattr(sys, "excepthook", None)
        AUDIT("sys.excepthook", hook, type(exc), exc, TRACEBACK(exc))
        if missing:
            write_error("sys.excepthook is missing\n")
            yield partial(DISPLAY, type(exc), exc, TRACEBACK(exc))
            return 1
        if callable(hook):
            yield partial(hook, type(exc), exc, TRACEBACK(exc))
        else:
            self.raised = TypeError("'%s' object is not callable" % type(hook).__name__)
        second = self.raised_by()
        if isinstance(second, SystemExit):
            return (yield from self.exit_status(second))
        if second is not None:
            write_error("Error in sys.excepthook:\n")
            yield partial(DISPLAY, type(second), second, TRACEBACK(second))
            write_error("\nOriginal exception was:\n")
            yield partial(DISPLAY, type(exc), exc, TRACEBACK(exc))
            self.raised = None
        return 1

    def exit_status(self, exc):
        self.exited = True
        try:
            code = exc.code
        except Exception:
            code = exc
        WITH_TRACEBACK(exc, None)
        exc = None
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

    def is_simple(self, main):
        """Nobody could see what drop_modules() does: nothing that it frees runs or writes anything."""
        if len(sys.__dict__) != self.sys or len(BUILTINS.__dict__) != self.builtins:
            return False
        if len(MODULES) != len(self.base) or type(main) is not MODULE:
            return False
        names = main.__dict__
        loader, annotations = names.get("__loader__"), names.get("__annotations__")
        for value in names.values():  # "is" asks no user's __eq__
            if not (type(value) in SIMPLE or value is BUILTINS or value is loader or value is annotations
                    or self.is_plain(value)):
                return False
        return True

    def is_plain(self, value):
        if type(value) is FUNCTION:
            return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__)
        return type(value) is MODULE and len(value.__dict__) == self.size_of(value)

    def size_of(self, module):
        """How many names a module of ours had; of another module: -1."""
        name = module.__dict__.get("__name__")
        return self.sizes.get(name, -1) if type(name) is str else -1

    def drop_modules(self):
        """finalize_modules(): the user's modules are freed, those that the zygote loaded are only forgotten."""
        modules = MODULES
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
        yield COLLECT
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
                if type(value) is MODULE and len(value.__dict__) > self.size_of(value) >= 0:
                    found[id(value)] = value.__dict__, list(value.__dict__)[self.size_of(value):]
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
