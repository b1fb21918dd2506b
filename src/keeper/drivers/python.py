# SPDX-License-Identifier: Apache-2.0
# python.py - runs snippets one after another in one namespace; what they leave is there for the next.
#
# The channel is descriptor 0: "ready\n" goes out when an interrupt does no harm any more; then "NUMBER NONCE LENGTH\n" and the code come in, "NONCE STATUS LENGTH\n"
# and the last expression's repr go out.  Snippets find an empty standard input in its place.
# A number below 1 is no snippet: 0 is code for the driver itself, -1 that nobody will ask for anything soon,
# -2 code of which it should know what it is before it comes, -3 that a snippet may come in a moment, from whoever is on
# the processor that stands in the nonce's place (counted from 1).
# An interpreter that was to become a template and could not says "cold REASON\n" before it is ready.
# Whoever owns the other end believes none of it: a snippet can say here whatever it likes.
import sys

# A file of the session must not stand in for a module that is needed here.  From 3.13 on some are imported before this
# begins: PYTHONSAFEPATH, which the keeper sets and forget_beginning() takes away, keeps them from being found there.
if sys.path[0] == "":
    sys.path.pop(0)
# A session has its memory for itself, and there may be thousands: no more than what every snippet needs.
import builtins
import os
from _ast import Expr, Expression
from _signal import SIGINT, signal
from _thread import _count as count_threads

# Our own names for these: a snippet may put something else in their place, and means its own calls only.
from builtins import any, getattr, int, len, map, min, range, sum
from posix import _exit, getpid, read, write
from sys import getprofile, gettrace

RESULT_MAX = 65536
CO_COROUTINE = 0x80
ONLY_AST = 0x400
TOP_LEVEL_AWAIT = 0x2000
SHORT = 1000
REHEARSED, NONCE = b"x + 0", b"0" * 32
STIRRED = 2  # what copier.apart() says: see there
STIRRED_US = 80  # longer might keep out who still judges it
OTHER = frozenset("=;\\\r\n")  # with one of these it may be more than an expression, or warn twice
ORIGINAL = compile, eval, repr, str
MONITORS = 6  # of sys.monitoring, that anybody may have
BLANK = frozenset(("", " ", "\t", "\f", "#"))


class Closed(Exception):
    """Nobody has the other end any more."""


class Message:
    """What was asked, and how far the answer has come."""

    __slots__ = ("number", "nonce", "code", "begun", "end", "answer", "said")

    def __init__(self, number, nonce, code):
        self.number, self.nonce, self.code = number, nonce, code
        self.begun = False
        self.end = None  # status, and the result's bytes or None
        self.answer = None
        self.said = []  # how many bytes of the answer went out by each write


class Channel:
    """One message after another.

    A handler of a snippet's can raise between any two steps of ours, up to 3.10 between any two byte codes.  So whoever
    is thrown out here begins again and finds how far it has come: what is read or written is counted by the
    same call, extend(map()), that does it, and the rest is known from that or said by one assignment.
    """

    def __init__(self):
        try:
            self.fd = os.dup2(0, 100, inheritable=False)
        except OSError:
            self.fd = os.dup(0)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self.idle = None, ()
        self.state = self.idle  # the message whose turn it is, and what has been read behind it

    def take(self):
        """The message whose turn it is, until done() is called."""
        while self.state[0] is None:
            if self.state is self.idle:
                self.state = None, []
            self._look(self.state[1])
        return self.state[0]

    def _look(self, parts):
        if len(parts) > 1 and b"\n" not in parts[0]:
            parts[:] = [b"".join(parts)]
        head, newline, _ = parts[0].partition(b"\n") if parts else (b"", b"", b"")
        if not newline:
            return self._more(parts, 400)  # no more than a small object: the rest of a snippet comes at once
        number, nonce, length = head.split(b" ")
        start = len(head) + 1
        end = start + int(length)
        need = end - sum(map(len, parts))
        if need > 0:
            return self._more(parts, min(need, 1 << 20))
        whole = b"".join(parts)
        self.state = Message(int(number), nonce, whole[start:end]), [whole[end:]] if need < 0 else []

    def _more(self, parts, most):
        parts.extend(map(read, (self.fd,), (most,)))
        if not parts[-1]:
            raise Closed

    def done(self):
        """Whoever then sleeps has nothing that the others have not: each page of its own counts."""
        parts = self.state[1]
        self.state = (None, parts) if parts else self.idle

    def send(self, message):
        """All of the answer that has not been sent."""
        while True:
            left = message.answer[sum(message.said) :]
            if not left:
                return
            message.said.extend(map(write, (self.fd,), (left,)))

    def say(self, nonce, status, result):
        message = Message(0, nonce, b"")
        message.end = status, None if result is None else encoded(result)
        self.reply(message)

    def reply(self, message):
        if message.answer is None:
            compose(message)
        self.send(message)


def compose(message):
    status, body = message.end
    length = b"-" if body is None else b"%d" % len(body)
    message.answer = b"%s %d %s\n%s" % (message.nonce, status & 0xFF, length, body or b"")


def encoded(text):
    return str.encode(text, "utf-8", "backslashreplace")[:RESULT_MAX]


class Sources:
    """The snippets' lines, for tracebacks: whoever imports linecache, and it is Python's, finds them there."""

    def __init__(self, path):
        self.path = path
        self.sources = {}
        sys.meta_path.insert(0, self)

    def add(self, name, source):
        self.sources[name] = source
        module = sys.modules.get("linecache")
        if module is not None:
            self.fill(module)

    def fill(self, module):
        cache = getattr(module, "cache", None)
        if isinstance(cache, dict):
            for name, source in self.sources.items():
                cache[name] = len(source), None, source.splitlines(True), name
            self.sources.clear()

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
        self.pid = getpid()
        self.loop = None
        self.copier = None
        self.known = {}
        self.env = None
        self.place = 0  # on which processor whoever stirs it is; 0: nobody does
        self.waits = 0  # and was, when the last snippet came

    def interrupt(self, number, frame):
        if self.running:
            raise KeyboardInterrupt

    def evaluate(self, tree, name, mode, space):
        code = compile(tree, name, mode, TOP_LEVEL_AWAIT, dont_inherit=True)
        if not code.co_flags & CO_COROUTINE:
            return eval(code, space)
        asyncio = self.standard("asyncio")
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(eval(code, space))

    def single(self, source, name):
        """The code of a source that is one expression and can be nothing else, or None."""
        if len(source) > SHORT or not OTHER.isdisjoint(source) or source[:1] in BLANK:
            return None
        try:
            code = compile(source, name, "eval", TOP_LEVEL_AWAIT, dont_inherit=True)
        except Exception:  # it is something else, or wrong: that is told by who reads it as a whole
            return None
        return None if code.co_flags & CO_COROUTINE else code

    def execute(self, source, name, space):
        code = self.single(source, name)
        if code is not None:
            return self.show(eval(code, space), space)
        tree = compile(source, name, "exec", ONLY_AST, dont_inherit=True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], Expr) else None
        if tree.body:
            self.evaluate(tree, name, "exec", space)
        if last is None:
            return None
        return self.show(self.evaluate(Expression(last.value), name, "eval", space), space)

    def show(self, value, space):
        if value is None:
            return None
        space["_"] = value
        return encoded(repr(value)[:RESULT_MAX])  # here: what a repr of its own does is the snippet's doing

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
        if isinstance(error, Exception) and self.theirs(error) is None:
            raise error
        self.mention(error)

    def mention(self, error):
        try:
            if isinstance(error, Exception):
                self.complain(error)
        except Exception:  # it has a standard error of its own that takes nothing
            pass

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

    def run(self, message):
        name = "<snippet %d>" % message.number
        try:
            self.running = True
            source = message.code.decode("utf-8")
            self.sources.add(name, source)
            message.end = 0, self.execute(source, name, self.space)
        except SystemExit as error:
            message.end = self.leave(error), None
        except KeyboardInterrupt as error:
            self.complain(error)
            message.end = 130, None
        except BaseException as error:
            self.complain(error)
            message.end = 1, None
        finally:
            self.running = False

    def run_once(self, message):
        try:
            if not message.begun:
                message.begun = True
                self.run(message)
        except BaseException as error:  # an interrupt, or what a handler raised, that came when nothing ran
            self.running = False
            if message.end is None:
                message.end = 1 if isinstance(error, Exception) else 130, None
            self.mention(error)

    def rest(self, channel):
        if self.copier is None:
            return
        env = self.copier.rest(-1 if channel.state[1] else channel.fd)  # what has been read wakes nobody
        if env is not None:  # it is another process, which became the template that this one was
            self.wake(channel, env)

    def stir(self, channel, place):
        """A snippet may be here in a moment.

        It is being judged and written down on another processor.  Meanwhile this one finds what every snippet needs,
        with one of our own that nobody sees, and then waits without sleeping, for as long as that can take.
        """
        if self.copier is None or count_threads():  # whom another thread has to let in comes later, not earlier
            return
        self.place = place
        if channel.state[1]:  # it is here: nobody would come who could be waited for
            return
        if not self.copier.apart(place, -1):  # who waits awake would keep off whom it waits for
            self.place = 0
            return
        self.come_to(channel, self.is_overheard())

    def wait(self, channel):
        """Where nobody else is at work, until something comes; a word that it is to stir is not read by us.

        What is asked before is as true then: nobody is there who could change it, but for a handler in the moment in
        which the word comes.  To ask when everything has gone cold takes as long as half of what is rehearsed.
        """
        overheard = self.is_overheard()
        if self.copier.apart(self.waits, channel.fd) == STIRRED:
            self.place = self.waits
            self.come_to(channel, overheard)

    def come_to(self, channel, overheard):
        try:
            if not overheard:
                self.rehearse(channel.fd)
        except Exception as error:
            if self.theirs(error) is not None:  # a handler of a snippet's
                self.mention(error)
        self.copier.expect(channel.fd, STIRRED_US, channel, Message)

    def is_overheard(self):
        """Would something of a caller's run, or hear of it, when an expression does?"""
        if self.copier.hooked() or gettrace() is not None or getprofile() is not None:
            return True
        if not (compile is ORIGINAL[0] and eval is ORIGINAL[1] and repr is ORIGINAL[2] and str is ORIGINAL[3]):
            return True
        monitoring = getattr(sys, "monitoring", None)  # from 3.12
        return monitoring is not None and any(map(monitoring.get_tool, range(MONITORS)))

    def rehearse(self, fd):
        """What is done for a snippet and takes long when it is cold, and that nobody can see."""
        message = Message(0, NONCE, REHEARSED)
        source = message.code.decode("utf-8")
        message.end = 0, self.execute(source, "<snippet %d>" % message.number, {"x": 0})
        getpid()
        compose(message)
        write(fd, b"")

    def wake(self, channel, env):
        """Whatever is done here, each does for itself: the less, the more memory they have in common."""
        if env != self.env:
            self.adopt(env)
        pid = getpid()
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
        out, err, first_out, first_err = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
        for stream in out, err, None if first_out is out else first_out, None if first_err is err else first_err:
            try:
                if stream is not None:
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


def forget_beginning():
    """From 3.13 on every -c, also ours, is a text in linecache, and a snippet's "<string>" would have its lines.

    A PYTHONSAFEPATH of the tool's own stays.
    """
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        linecache.clearcache()
        getattr(linecache, "_interactive_cache", {}).clear()
    if os.environ.get("PYTHONSAFEPATH") == "belljar":
        del os.environ["PYTHONSAFEPATH"]


def command(channel, session, message):
    """Not a snippet: something that whoever owns the other end wants of us."""
    if message.begun:
        raise RuntimeError("a handler broke it off")
    message.begun = True
    text = session.known.get(message.code) or compile(message.code, "<belljar>", "exec")
    exec(text, {"channel": channel, "session": session, "nonce": message.nonce})
    channel.done()


def answer(channel, session, message):
    if message.number == -2:
        session.known[message.code] = compile(message.code, "<belljar>", "exec")
        message.end = 0, None
    else:
        session.run_once(message)
        session.flush()
        if getpid() != session.pid:
            _exit(message.end[0])  # a child that the snippet forked and that came back
    channel.reply(message)
    channel.done()


def step(channel, session):
    message = channel.take()
    place = session.place
    if place:
        session.place = 0
    if message.number == -3:
        place = int(message.nonce)
        channel.done()
        del message
        return session.stir(channel, place)
    if message.number == -1:
        channel.done()
        del message
        return session.rest(channel)
    if message.number == 0:
        command(channel, session, message)
    else:
        answer(channel, session, message)
        session.waits = place
    if session.waits and not channel.state[1] and not count_threads():
        session.wait(channel)


def main():
    channel = Channel()
    session = Session()
    signal(SIGINT, session.interrupt)
    cold = why_cold()
    forget_beginning()
    if cold is not None:
        os.write(channel.fd, b"cold %s\n" % cold.encode("utf-8", "replace"))
    os.write(channel.fd, b"ready\n")
    del cold
    while True:
        try:
            while True:  # in here, so that nothing is raised on the way back
                step(channel, session)
        except Closed:
            return
        except (Exception, KeyboardInterrupt) as error:  # by a handler of a snippet's: nothing runs that it could end
            session.overhear(error)


main()
