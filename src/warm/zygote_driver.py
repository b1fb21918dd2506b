# SPDX-License-Identifier: Apache-2.0
# zygote_driver.py - how a child of the zygote becomes `python3 script.py`, and the zygote's own start.
#
# The last part of the text that begins with zygote.py.


class Cold(Exception):
    """Only a cold start does this right."""


class Heard:
    """Stands where the module warnings does while something is compiled."""

    WarningMessage = staticmethod(lambda *args: args)

    def __init__(self):
        self.seen = []
        self._showwarnmsg = self.seen.append

    def listen(self, usual):
        self.seen.clear()
        globals().pop("__warningregistry__", None)  # from 3.13 on, who asks to compile twice is warned once
        for name in ("filters", "defaultaction", "onceregistry"):
            if hasattr(usual, name):
                setattr(self, name, getattr(usual, name))


class Driver(Ending):
    def __init__(self, modules, leave=None, finalize=None, cold=None, kind=kind, size=size, expect=None, expect_end=None):
        self.kind, self.size = kind, size
        self.cold = cold  # tells that an exec follows
        self.leave = leave or posix._exit
        self.finalize = finalize if sys.version_info < (3, 13) else None  # it wants the first thread from then on
        self.site_of = None
        self.heard = Heard()
        self.usual = False
        if sys.path and sys.path[0] == "":
            del sys.path[0]  # nobody's directory yet
        for name in modules:
            __import__(name)
        self.like = example()
        self.hide()
        self.kinds = [self.kind(fd) for fd in range(3)]
        self.null = self.null_stdin()
        self.environ = dict(MODULES["os"].environ)
        self.user_site = self.has_user_site(self.environ.get("HOME"))
        self.base = frozenset(MODULES)
        self.loaded = self.shadowable()
        self.seeded = any(name in MODULES for name in SEEDED)
        self.loader = LOADER("__main__", SCRIPT)
        self.sizes = {name: len(module.__dict__) for name, module in MODULES.items() if type(module) is MODULE}
        self.builtins = len(BUILTINS.__dict__)
        self.sys = len(sys.__dict__)
        sys.argv = ["-c"]  # ours are freed once, and not by every child
        if ORIG_ARGV:
            sys.orig_argv = sys.orig_argv[:1]
        # So that forgetting one does not free it; stdin gives way to null in most calls.
        self.kept = [sys.stdin, sys.argv, getattr(sys, "orig_argv", None), *MODULES.values()]
        gc.collect()
        gc.freeze()  # else each rehearsal looks at all of it
        self.learn()
        if expect is not None and self.tell_usual(expect):
            expect_end(MODULES, sys.__dict__, BUILTINS, RUN_EXIT, _count, tuple(SIMPLE), FUNCTION, self.sizes,
                       len(self.base), self.sys, self.builtins)
            self.usual = True
            self.learn()
        self.main = self.new_main()  # for who finds a call at the door; what is frozen is never collected

    def learn(self):
        for _ in range(20):  # until the interpreter has nothing more to learn about this code, and writes no more
            self.rehearse()
        gc.collect()
        gc.freeze()

    def tell_usual(self, expect):
        """So that most calls need not ask Python whether they may be run here."""
        home = self.environ.get("HOME")
        if self.user_site or "multiprocessing.process" in MODULES or getattr(sys.flags, "safe_path", False):
            return False
        if self.null is None:
            return False
        encode = MODULES["os"].fsencode
        environ = "".join("%s=%s\0" % pair for pair in self.environ.items())
        stems = "\0%s\0" % "\0".join(self.loaded) if self.loaded else ""
        site = self.site if home and not sys.flags.no_user_site else ""
        expect(encode(environ), encode(stems), encode(site), "".join((k or "-")[0] for k in self.kinds))
        return True

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
                MODULES.pop(name, None)

    def shadowable(self):
        """Names of modules that a file in the script's directory would have been taken for."""
        found = set()
        for name in self.base.difference(BARE):
            spec = getattr(MODULES[name], "__spec__", None)
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
        if not home or sys.flags.no_user_site or not posix.access(self.site, posix.F_OK):
            return False  # an exception takes longer than everything else here
        try:
            return posix.stat(self.site).st_mode & 0o170000 == 0o040000
        except OSError:
            return False

    # -- before the call ----------------------------------------------------------------

    def ahead(self, awaited=False):
        """Nothing here knows a caller: what two children must not share, and pages every call touches.

        Where a call is waiting, it touches them itself.
        """
        self.threads = _count()  # the one that serves may be among them
        if self.seeded:
            self.reseed()
        elif awaited:
            return
        if not awaited:
            self.rehearse()
        gc.freeze()
        self.main = self.new_main()  # what is frozen is never collected

    def reseed(self):
        numpy = MODULES.get("numpy.random")
        if numpy is not None:
            numpy.seed()
        torch = MODULES.get("torch")
        if torch is not None:
            torch.seed()
        openssl = MODULES.get("_ssl")
        if openssl is not None:  # it takes a child for another one by its pid, and pids of boxes are all alike
            openssl.RAND_add(posix.urandom(48), 48.0)
        tempfile = MODULES.get("tempfile")
        if tempfile is not None:
            tempfile._name_sequence = None
        process = MODULES.get("multiprocessing.process")
        if process is not None:
            process.current_process()._config["authkey"] = process.AuthenticationString(posix.urandom(32))

    def new_main(self):
        old = MODULES["__main__"]
        new = MODULE("__main__")
        names = new.__dict__
        for name in MAIN:
            names[name] = old.__dict__[name]
        names["__doc__"] = None
        names["__builtins__"] = BUILTINS
        if "__annotations__" in names:
            names["__annotations__"] = {}
        return new

    def rehearse(self):
        """The way of a call, with a program that does nothing.

        A page that is written to here, if only to count a reference, is this child's own when the call comes.
        """
        argv, orig, path, main = sys.argv, getattr(sys, "orig_argv", None), list(sys.path), self.new_main()
        if self.usual:
            self.rehearse_usual(main)
        else:
            self.rehearse_begin(main.__dict__)
            self.rehearse_end(main)
        self.script = False
        sys.argv, sys.path[:] = argv, path
        if ORIG_ARGV:
            sys.orig_argv = orig
        gc.collect()

    def rehearse_usual(self, main):
        before, self.main = MODULES["__main__"], main
        code, names = self.begin_usual(["python3", SCRIPT], SCRIPT, REHEARSAL, "/work", False)
        MODULES["__main__"] = before
        exec(code, names)
        sys.stderr.flush()
        sys.stdout.flush()

    def rehearse_begin(self, names):
        try:
            self.read("/proc/self/comm")  # of no size
        except Cold:
            pass
        try:
            self.set_environment(["python3"], dict(self.environ))
            for fd in range(3):
                self.kind(fd)
            if ORIG_ARGV:
                sys.orig_argv = list(sys.orig_argv)
            exec(self.take_script(["python3", SCRIPT], names, REHEARSAL), names)
        except Cold:
            pass

    def rehearse_end(self, main):
        for out in (*self.flush_io(), *self.flush_std()):
            out()
        steps = self.ending(None)
        next(steps)
        steps.close()
        self.is_simple(main)

    # -- the call -----------------------------------------------------------------------

    def begin_usual(self, argv, name, source, first, null):
        """begin() for a call of which C has seen that there is nothing to be done about it.  In one piece: each
        function more is pages more.
        """
        main, heard, usual = self.main, self.heard, MODULES.get("warnings")
        del self.main
        try:
            if null:
                sys.stdin = sys.__stdin__ = self.null
            MODULES["__main__"] = main
            if ORIG_ARGV:
                sys.orig_argv = argv
            sys.argv = argv[1:]
            names = main.__dict__
            names["__file__"] = name
            names["__cached__"] = None
            self.script = True
            names["__loader__"] = self.loader if name == SCRIPT else LOADER("__main__", name)
            MODULES["warnings"] = heard  # see compile(), which does it again if there is anything to be said
            try:
                code = compile(source, name, "exec", 0, True)
            except Exception:
                code = None
            finally:
                if usual is None:
                    del MODULES["warnings"]
                else:
                    MODULES["warnings"] = usual
            if code is None or heard.seen:
                code = self.compile(source, name, first)
            else:
                sys.path.insert(0, first)
            return code, names
        except (SyntaxError, KeyboardInterrupt) as exc:
            self.early = exc
            raise
        except Exception:
            self.exec_cold(argv, self.environ)

    def begin(self, argv, env):
        if env is None:
            env = self.environ
        try:
            return self.begin_warm(argv, env)
        except (SyntaxError, KeyboardInterrupt) as exc:
            self.early = exc
            raise
        except Exception:
            self.exec_cold(argv, env)

    def begin_warm(self, argv, env):
        if len(argv) < 2 or (argv[1][:1] == "-" and argv[1] != "-c") or (argv[1] == "-c" and len(argv) < 3):
            raise Cold
        self.set_environment(argv, env)
        self.set_streams()
        MODULES["__main__"] = self.main
        process = MODULES.get("multiprocessing.process")
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
        if self.cold is not None:
            self.cold()
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_DFL)
        MODULES["os"].execvpe(argv[0], argv, env)

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
        environ = MODULES["os"].environ
        environ.clear()
        environ.update(env)
        if env.get("TZ") != old.get("TZ"):
            MODULES["time"].tzset()

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
            now = self.kind(fd)
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

    def check_beside(self, first):
        """A module beside the script that would have come before one of ours: cold."""
        if not self.loaded:
            return
        try:
            beside = posix.listdir(first or ".")
        except OSError:
            return
        for name in beside:
            stem = name.partition(".")[0]
            if stem in self.loaded and name[len(stem):] in SUFFIXES:
                raise Cold

    def take_text(self, argv):
        text = argv[2] + "\n"
        if sys.version_info < (3, 10) and any("coding" in line for line in self.head(text, "\n")):
            raise Cold  # it is obeyed there
        if sys.version_info >= (3, 14) and text.lstrip("\n")[:1] in " \t\f\r":
            raise Cold  # it is dedented there
        try:
            text.encode()
        except UnicodeError:
            raise Cold from None
        sys.argv = ["-c", *argv[3:]]
        code = self.compile(text, "<string>", "")
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
        names["__file__"] = name
        names["__cached__"] = None
        self.script = True
        names["__loader__"] = LOADER("__main__", name)
        return self.compile(source, name, where[:where.rindex("/")] or "/")

    def read(self, name):
        try:
            fd = posix.open(name, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
        except OSError:
            raise Cold from None  # its words are better than ours
        try:
            length = self.size(fd)
            if not 0 <= length <= SOURCE_MAX:
                raise Cold
            source = posix.read(fd, length + 1)
            where = self.real(name, fd)
        finally:
            posix.close(fd)
        if len(source) != length:
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
        return MODULES["os"].path.realpath(name)

    def check_source(self, source, name):
        """compile() reads bytes as the file's own parser does, but for what is refused here."""
        if name.endswith(".pyc") or 0 in source:
            raise Cold
        for line in self.head(source, b"\n"):
            if b"coding" in line and not self.is_utf8(line):
                raise Cold
        if not source.isascii():
            try:
                source.decode()
            except UnicodeError:
                raise Cold from None

    def head(self, source, newline):
        """The two lines that may name a code, however long."""
        end = source.find(newline, source.find(newline) + 1)
        return (source if end < 0 else source[:end]).split(newline)

    def is_utf8(self, line):
        """Any other code is a module, which imports what may lie beside the script."""
        name = line.partition(b"coding")[2]
        if name[:1] not in (b":", b"="):
            return False
        name = name[1:].lstrip(b" \t")
        return name[:5].lower() == b"utf-8" and not (name[5:6].isalnum() or name[5:6] in (b"-", b"_", b"."))

    def compile(self, source, name, first):
        """While this is compiled nothing of the caller's runs, because the board is still there: the script's
        directory counts only afterwards, and of warnings, for which Python would import modules, we hear first.
        """
        safe = getattr(sys.flags, "safe_path", False)
        if not safe:
            self.check_beside(first)
        usual = MODULES.get("warnings")
        self.heard.listen(usual)
        MODULES["warnings"] = self.heard
        try:
            code = self.compile_only(source, name)
            self.say_heard()
            return code
        except SyntaxError:
            self.say_heard()
            raise
        finally:
            if usual is None:
                del MODULES["warnings"]
            else:
                MODULES["warnings"] = usual
            if not safe:
                sys.path.insert(0, first)

    def say_heard(self):
        """A python3 that has not loaded warnings shows them without a module, and so do we."""
        if not self.heard.seen:
            return
        if "warnings" in BARE:
            raise Cold
        MODULES["warnings"] = None
        for message, category, filename, lineno, *_ in self.heard.seen:
            warn_explicit(message, category, filename, lineno)

    def compile_only(self, source, name):
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


def load(path):
    """The extension lies where its slot put it; no box has it."""
    machinery = MODULES["_frozen_importlib_external"]
    loader = machinery.ExtensionFileLoader("zygote_python", path)
    spec = MODULES["_frozen_importlib"].ModuleSpec("zygote_python", loader, origin=path)
    module = loader.create_module(spec)
    loader.exec_module(module)
    MODULES.pop("zygote_python", None)
    return module


def main(extension, control_fd, modules):
    ext = load(extension)
    try:
        driver = Driver(modules, getattr(ext, "leave", None), getattr(ext, "finalize", None),
                        getattr(ext, "cold", None), getattr(ext, "kind", kind), getattr(ext, "size", size),
                        getattr(ext, "expect", None), getattr(ext, "expect_end", None))
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
