# SPDX-License-Identifier: Apache-2.0
# python.py - runs snippets one after another in one namespace; what they leave is there for the next.
#
# The channel is descriptor 0: "ready\n" goes out when an interrupt does no harm any more; then "NUMBER NONCE LENGTH\n" and the code come in, "NONCE STATUS LENGTH\n"
# and the last expression's repr go out.  Snippets find an empty standard input in its place.
# A number below 1 is no snippet: 0 is code for the driver itself, -1 that nobody will ask for anything soon,
# -2 code of which it should know what it is before it comes.
# An interpreter that was to become a template and could not says "cold REASON\n" before it is ready.
# Whoever owns the other end believes none of it: a snippet can say here whatever it likes.
import sys

sys.path.pop(0)  # a file of the session must not stand in for a module that is needed here
# A session has its memory for itself, and there may be thousands: no more than what every snippet needs.
import builtins
import os
from _ast import Expr, Expression
from _signal import SIGINT, signal

RESULT_MAX = 65536
CO_COROUTINE = 0x80
ONLY_AST = 0x400
TOP_LEVEL_AWAIT = 0x2000
SHORT = 1000
OTHER = frozenset("=;\\\r\n")  # with one of these it may be more than an expression, or warn twice
BLANK = frozenset(("", " ", "\t", "\f", "#"))


class Closed(Exception):
    """Nobody has the other end any more."""


class Channel:
    def __init__(self):
        try:
            self.fd = os.dup2(0, 100, inheritable=False)
        except OSError:
            self.fd = os.dup(0)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self.held = b""
        self.inside = False  # a message has been taken in part, or given

    def _more(self):
        data = os.read(self.fd, 400)  # no more than a small object: the rest of a snippet comes at once
        if not data:
            raise Closed
        self.held += data

    def take(self):
        while b"\n" not in self.held:
            self._more()
        self.inside = True
        head, self.held = self.held.split(b"\n", 1)
        number, nonce, length = head.split(b" ")
        parts, need = [self.held], int(length) - len(self.held)
        while need > 0:
            data = os.read(self.fd, min(need, 1 << 20))
            if not data:
                raise Closed
            parts.append(data)
            need -= len(data)
        whole = b"".join(parts)
        code, self.held = whole[: int(length)], whole[int(length) :]
        self.inside = False
        return int(number), nonce, code

    def say(self, nonce, status, result):
        body = b"" if result is None else result.encode("utf-8", "backslashreplace")[:RESULT_MAX]
        length = b"-" if result is None else b"%d" % len(body)
        data = b"%s %d %s\n%s" % (nonce, status & 0xFF, length, body)
        self.inside = True
        while data:
            data = data[os.write(self.fd, data) :]
        self.inside = False


class Sources:
    """The snippets' lines, for tracebacks: whoever imports linecache, and it is Python's, finds them there."""

    def __init__(self, path):
        self.path = path
        self.lines = {}
        sys.meta_path.insert(0, self)

    def add(self, name, source):
        self.lines[name] = (len(source), None, source.splitlines(True), name)
        self.fill(sys.modules.get("linecache"))

    def fill(self, module):
        cache = getattr(module, "cache", None)
        if isinstance(cache, dict):
            cache.update(self.lines)
            self.lines.clear()

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, self.path, target)
            if spec is not None:
                execute = spec.loader.exec_module
                spec.loader.exec_module = lambda module: (execute(module), self.fill(module))
                return spec
        return None


class Session:
    def __init__(self):
        self.path = list(sys.path)
        self.sources = Sources(self.path)
        self.main = type(sys)("__main__")
        self.main.__builtins__ = builtins
        self.space = self.main.__dict__
        self.driver = sys.modules["__main__"]  # kept: its functions live in it
        sys.modules["__main__"] = self.main
        sys.path.insert(0, "")
        sys.argv = [""]
        self.running = False
        self.pid = os.getpid()
        self.loop = None
        self.copier = None
        self.known = {}
        self.env = None

    def interrupt(self, number, frame):
        if self.running:
            raise KeyboardInterrupt

    def evaluate(self, tree, name, mode):
        code = compile(tree, name, mode, TOP_LEVEL_AWAIT, dont_inherit=True)
        if not code.co_flags & CO_COROUTINE:
            return eval(code, self.space)
        asyncio = self.standard("asyncio")
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(eval(code, self.space))

    def single(self, source, name):
        """The code of a source that is one expression and can be nothing else, or None."""
        if len(source) > SHORT or not OTHER.isdisjoint(source) or source[:1] in BLANK:
            return None
        try:
            code = compile(source, name, "eval", TOP_LEVEL_AWAIT, dont_inherit=True)
        except Exception:  # it is something else, or wrong: that is told by who reads it as a whole
            return None
        return None if code.co_flags & CO_COROUTINE else code

    def execute(self, source, name):
        code = self.single(source, name)
        if code is not None:
            return self.show(eval(code, self.space))
        tree = compile(source, name, "exec", ONLY_AST, dont_inherit=True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], Expr) else None
        if tree.body:
            self.evaluate(tree, name, "exec")
        if last is None:
            return None
        return self.show(self.evaluate(Expression(last.value), name, "eval"))

    def show(self, value):
        if value is None:
            return None
        self.space["_"] = value
        return repr(value)[:RESULT_MAX]

    def theirs(self, error):
        # Ours are the outermost frames; whoever wrote the snippet has no use for them.
        at = error.__traceback__
        while at is not None and at.tb_frame.f_globals is globals():
            at = at.tb_next
        return at

    def complain(self, error):
        at = self.theirs(error)
        try:
            say = self.standard("traceback").print_exception
        except (ImportError, AttributeError):
            say = sys.__excepthook__
        say(type(error), error, at)

    def overhear(self, error):
        """What a handler of a snippet's raised while none ran: the next one's standard error has it."""
        if isinstance(error, KeyboardInterrupt):
            return
        if self.theirs(error) is None:
            raise error
        self.complain(error)

    def standard(self, name):
        """A module of Python's own, whatever lies in the session's directory by that name."""
        if name in sys.modules:
            return sys.modules[name]
        path = sys.path
        sys.path = self.path + list(path)
        try:
            return __import__(name)
        finally:
            sys.path = path

    def leave(self, error):
        code = error.code
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        print(code, file=sys.stderr)
        return 1

    def run(self, number, code):
        name = "<snippet %d>" % number
        try:
            self.running = True
            source = code.decode("utf-8")
            self.sources.add(name, source)
            return 0, self.execute(source, name)
        except SystemExit as error:
            return self.leave(error), None
        except KeyboardInterrupt as error:
            self.complain(error)
            return 130, None
        except BaseException as error:
            self.complain(error)
            return 1, None
        finally:
            self.running = False

    def rest(self, channel):
        if self.copier is None:
            return
        env = self.copier.rest(-1 if channel.held else channel.fd)  # what has been read wakes nobody
        if env is not None:  # it is another process, which became the template that this one was
            self.wake(channel, env)

    def wake(self, channel, env):
        """Whatever is done here, each does for itself: the less, the more memory they have in common."""
        if env != self.env:
            self.adopt(env)
        pid = os.getpid()
        if pid != self.pid:
            self.pid = pid
        self.add_user_site()
        os.write(channel.fd, b"ready\n")

    def adopt(self, env):
        new = dict(item.split(b"=", 1) for item in env.split(b"\0") if b"=" in item)
        for name in [name for name in os.environb if name not in new]:
            del os.environb[name]
        for name, value in new.items():
            if os.environb.get(name) != value:
                os.environb[name] = value

    def add_user_site(self):
        """The directory of the user's own modules, if there is one by now: as site does it when Python starts."""
        site = sys.modules.get("site")
        if not (site and site.ENABLE_USER_SITE) or site.USER_SITE in sys.path or not os.path.isdir(site.USER_SITE):
            return
        before, common = list(sys.path), site.getsitepackages()
        site.addsitedir(site.USER_SITE)
        new = [path for path in sys.path if path not in before]
        at = next((i for i, path in enumerate(before) if path in common), len(before))
        sys.path[:] = before[:at] + new + before[at:]
        self.path[:] = [path for path in sys.path if path]
        site.execusercustomize()

    def flush(self):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except BaseException:
                pass


def why_cold():
    """What the library that should have made a template's process of this one has left behind."""
    why = os.environ.pop("BELLJAR_COLD", None)
    if os.environ.get("LD_PRELOAD", "").startswith("/proc/self/fd/"):  # it was not even loaded
        os.close(int(os.environ.pop("LD_PRELOAD")[14:]))
        why = "this interpreter loads no library first"
    return why


def main():
    channel = Channel()
    session = Session()
    signal(SIGINT, session.interrupt)
    cold = why_cold()
    if cold is not None:
        os.write(channel.fd, b"cold %s\n" % cold.encode("utf-8", "replace"))
    os.write(channel.fd, b"ready\n")
    del cold
    while True:
        try:
            number, nonce, code = channel.take()
            if number == -1:
                session.rest(channel)
                continue
        except Closed:
            return
        except (Exception, KeyboardInterrupt) as error:  # by a handler of a snippet's: nothing runs that it could end
            if channel.inside:
                raise
            session.overhear(error)
            continue
        if number == -2:
            session.known[code] = compile(code, "<belljar>", "exec")
            channel.say(nonce, 0, None)
            continue
        if number == 0:  # not a snippet: something that whoever owns the other end wants of us
            text = session.known.get(code) or compile(code, "<belljar>", "exec")
            exec(text, {"channel": channel, "session": session, "nonce": nonce})
            continue
        status, result = 1, None
        try:
            status, result = session.run(number, code)
        except BaseException:  # an interrupt that came when all was over
            status = 130
        session.flush()
        if os.getpid() != session.pid:
            os._exit(status)  # a child that the snippet forked and that came back
        try:
            channel.say(nonce, status, result)
        except (Exception, KeyboardInterrupt) as error:
            session.overhear(error)
            if not channel.inside:  # else it has been said: there is room for all of it at once
                channel.say(nonce, status, result)
            channel.inside = False


main()
