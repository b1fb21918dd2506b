# SPDX-License-Identifier: Apache-2.0
"""tapping.py - tests of the roles are functions, told in TAP; conditions are waited for."""
import os
import sys
import tempfile
import time
import traceback


alive = []  # whatever a test starts, and ends itself unless something goes wrong


class Told:
    def __init__(self):
        self.fine = True

    def say(self, text):
        for line in str(text).splitlines():
            print("# " + line)

    def check(self, true, why):
        if not true:
            self.fine = False
            frame = sys._getframe(1)
            print("# line %d: not true" % frame.f_lineno)
            self.say(str(why)[:1500])


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(is_so, seconds=int(os.environ.get("PATIENCE_S", "60"))):
    end = time.monotonic() + seconds
    while True:
        try:
            if is_so():
                return
        except (OSError, IndexError, ValueError):
            pass
        if time.monotonic() > end:
            raise TimeoutError("it never came")
        time.sleep(0.02)


def run_one(number, test):
    """Whether it failed."""
    t = Told()
    try:
        test(t)
    except Exception:
        t.fine = False
        t.say(traceback.format_exc())
    for one in alive:
        one.kill()
    alive.clear()
    print("%s %d - %s" % ("ok" if t.fine else "not ok", number, test.__name__), flush=True)
    return not t.fine


class Apart:
    """A test in a process of its own, whose words wait until they are asked for."""

    def __init__(self, number, test):
        self.words = tempfile.TemporaryFile("w+")
        self.pid = os.fork()
        if self.pid == 0:
            failed = 1
            try:
                sys.stdout = self.words
                failed = run_one(number, test)
            finally:
                os._exit(failed)

    def end(self):
        failed = os.waitpid(self.pid, 0)[1] != 0
        self.words.seek(0)
        print(self.words.read(), end="", flush=True)
        return failed


def run(tests, at_once=False):
    """One after the other; or, where they mostly wait, all at once."""
    chosen = [t for t in tests if not sys.argv[3:] or t.__name__ in sys.argv[3:]]
    print("1..%d" % len(chosen), flush=True)
    if at_once:
        failed = [one.end() for one in [Apart(i, t) for i, t in enumerate(chosen, 1)]]
    else:
        failed = [run_one(i, t) for i, t in enumerate(chosen, 1)]
    sys.exit(1 if any(failed) else 0)
