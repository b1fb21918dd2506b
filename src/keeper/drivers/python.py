# SPDX-License-Identifier: Apache-2.0
# python.py - runs snippets one after another in one namespace; what they leave is there for the next.
#
# The channel is descriptor 0: "ready\n" goes out when an interrupt does no harm any more; then "NUMBER NONCE LENGTH\n" and the code come in, "NONCE STATUS LENGTH\n"
# and the last expression's repr go out.  Snippets find an empty standard input in its place.
# Whoever owns the other end believes none of it: a snippet can say here whatever it likes.
import sys

sys.path.pop(0)  # a file of the session must not stand in for a module that is needed here
import ast
import builtins
import linecache
import os
import traceback
from _signal import SIGINT, signal  # without the names for everything, which take a while

RESULT_MAX = 65536
CO_COROUTINE = 0x80


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

    def _more(self):
        data = os.read(self.fd, 65536)
        if not data:
            raise EOFError
        self.held += data

    def take(self):
        while b"\n" not in self.held:
            self._more()
        head, self.held = self.held.split(b"\n", 1)
        number, nonce, length = head.split(b" ")
        parts, need = [self.held], int(length) - len(self.held)
        while need > 0:
            data = os.read(self.fd, min(need, 1 << 20))
            if not data:
                raise EOFError
            parts.append(data)
            need -= len(data)
        whole = b"".join(parts)
        code, self.held = whole[: int(length)], whole[int(length) :]
        return int(number), nonce, code

    def say(self, nonce, status, result):
        body = b"" if result is None else result.encode("utf-8", "backslashreplace")[:RESULT_MAX]
        length = b"-" if result is None else b"%d" % len(body)
        data = b"%s %d %s\n%s" % (nonce, status & 0xFF, length, body)
        while data:
            data = data[os.write(self.fd, data) :]


class Session:
    def __init__(self):
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

    def interrupt(self, number, frame):
        if self.running:
            raise KeyboardInterrupt

    def evaluate(self, tree, name, mode):
        code = compile(tree, name, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        if not code.co_flags & CO_COROUTINE:
            return eval(code, self.space)
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(eval(code, self.space))

    def execute(self, source, name):
        tree = ast.parse(source, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        if tree.body:
            self.evaluate(tree, name, "exec")
        if last is None:
            return None
        value = self.evaluate(ast.Expression(last.value), name, "eval")
        if value is None:
            return None
        self.space["_"] = value
        return repr(value)[:RESULT_MAX]

    def complain(self, error):
        # Ours are the outermost frames; whoever wrote the snippet has no use for them.
        at = error.__traceback__
        while at is not None and at.tb_frame.f_globals is globals():
            at = at.tb_next
        if isinstance(error, SyntaxError) and at is not None:
            inside = at.tb_frame.f_code.co_filename
            at = None if inside == ast.__file__ else at
        traceback.print_exception(type(error), error, at)

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
            linecache.cache[name] = (len(source), None, source.splitlines(True), name)
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

    def flush(self):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except BaseException:
                pass


def main():
    channel = Channel()
    session = Session()
    signal(SIGINT, session.interrupt)
    os.write(channel.fd, b"ready\n")
    while True:
        try:
            number, nonce, code = channel.take()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if number == 0:  # not a snippet: something that whoever owns the other end wants of us
            exec(compile(code, "<belljar>", "exec"), {"channel": channel, "session": session, "nonce": nonce})
            continue
        status, result = 1, None
        try:
            status, result = session.run(number, code)
        except BaseException:  # an interrupt that came when all was over
            status = 130
        session.flush()
        if os.getpid() != session.pid:
            os._exit(status)  # a child that the snippet forked and that came back
        channel.say(nonce, status, result)


main()
