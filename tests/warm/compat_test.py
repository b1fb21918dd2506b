#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# compat_test.py - each snippet in a cold box and in a warm one: the same output, the same errors, the same end.
#
# compat_test.py COMPAT_RUN [PART/PARTS | SNIPPET...]
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from snippets import every, plain  # noqa: E402

MODULES = ["json", "re", "datetime", "random", "statistics"]
# Started cold whatever waits: not a script and not -c.
COLD = {"module_run", "stdin_script"}
# What a box has otherwise than a plain process has, warm or cold, or what only time decides.
NOT_HERE = {"file_stdout"}


# Never the same in two children of one interpreter, although it has loaded all this.
FRESH_MODULES = ["random", "uuid", "secrets", "tempfile", "multiprocessing", "multiprocessing.process", "numpy.random"]
FRESH = {
    "random": "import random; print(random.random())",
    "uuid": "import uuid; print(uuid.uuid4())",
    "secrets": "import secrets; print(secrets.token_hex())",
    "urandom": "import os; print(os.urandom(8))",
    "tempfile": "import tempfile; print(next(tempfile._get_candidate_names()))",
    "authkey": "import multiprocessing as m; print(bytes(m.current_process().authkey))",
    "authkey_main": "import multiprocessing.process as p; print(bytes(p.current_process()._config['authkey']))",
    "numpy.random": "import numpy.random; print(numpy.random.rand())",
}


def put(where, name, data):
    with open(os.path.join(where, name), "wb") as f:
        f.write(data)


def write_words(argv, own, where):
    words = [os.fsencode(w) for w in ["python3", *argv]]
    own = [os.fsencode("%s=%s" % pair) for pair in own.items()]
    put(where, "words", b"".join(w + b"\0" for w in words) + b"\0--\0" + b"".join(w + b"\0" for w in own))


def write_files(snippet, where):
    """The list of what lies in /work."""
    lines, made = [], set()
    if "zip" in snippet.says:
        with tempfile.TemporaryDirectory() as laid:
            snippet.lay_out(laid)
            name = snippet.says["script"]
            with open(os.path.join(laid, name), "rb") as f:
                put(where, "zip", f.read())
            lines.append("f zip " + name)
    for i, (name, data) in enumerate(snippet.files().items()):
        folder = os.path.dirname(name)
        if folder and folder not in made:
            made.add(folder)
            lines.append("d " + folder)
        put(where, str(i), data)
        lines.append("f %d %s" % (i, name))
    if "link" in snippet.says:
        lines.append("l %s link.py" % snippet.says["link"])
    put(where, "list", "".join(line + "\n" for line in lines).encode())


def lay_out(snippets, where):
    """One directory per snippet, as compat_run wants it."""
    for snippet in snippets:
        here = os.path.join(where, snippet.name)
        os.mkdir(here)
        write_words(snippet.argv(), snippet.says.get("env", {}), here)
        write_files(snippet, here)
        if snippet.stdin() is not None:
            put(here, "stdin", snippet.stdin())


def taken(where, name, which, ends):
    got = [ends.get((name, which), ["?"] * 5)[:2]]
    for what in ("out", "err", "after"):
        try:
            with open(os.path.join(where, name, "%s.%s" % (which, what)), "rb") as f:
                got.append(plain(f.read()))
        except OSError:
            got.append(None)
    return got


def run_all(run, modules, names, where):
    """{(name, cold or warm): how it ended}, what went wrong; None: there is no box on this host."""
    options = [word for m in modules for word in ("-m", m)]
    done = subprocess.run([run, *options, *names], cwd=where, capture_output=True, text=True)
    if done.returncode == 125:
        return None, done.stderr.replace("\n", " ")[:200]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {(line[0], line[1]): line[2:] for line in lines}, done.stderr


def is_warm(ends, name):
    """By a child of the warm one; or by one that handed it to a fresh interpreter, and said so."""
    how, why = ends.get((name, "warm"), ["", "", "none", "", ""])[2:4]
    warm = how in ("waiting", "forked") or "only a fresh interpreter" in why
    return warm, "%s: %s" % (how, why)


def judge(tap, snippet, where, ends, errors):
    cold, warm = (taken(where, snippet.name, which, ends) for which in ("cold", "warm"))
    was_warm, how = is_warm(ends, snippet.name)
    tap(cold == warm and (was_warm or snippet.name in COLD), snippet.name,
        "cold %r\n# warm %r\n# %s %s" % (cold, warm, how, errors[-500:]))


def judge_fresh(tap, run, where):
    """Each twice, in two children of one interpreter."""
    have = [m for m in FRESH_MODULES if importlib.util.find_spec(m.partition(".")[0])]
    programs = {name: text for name, text in FRESH.items() if name.partition(".")[0] != "numpy" or name in have}
    for name, text in programs.items():
        for i in "12":
            here = os.path.join(where, name + i)
            os.mkdir(here)
            write_words(["-c", text], {}, here)
            put(here, "list", b"")
    ends, errors = run_all(run, have, [name + i for i in "12" for name in programs], where)
    for name in programs:
        first, second = (taken(where, name + i, "warm", ends) for i in "12")
        warm = all(is_warm(ends, name + i)[0] for i in "12")
        good = warm and first[0] == second[0] == ["0", "0"] and first[1] and first[1] != second[1]
        tap(good, "fresh: " + name, "%r\n# %r\n# %s" % (first, second, errors[-500:]))


class Tap:
    def __init__(self):
        self.count = self.bad = 0

    def __call__(self, good, what, details):
        self.count += 1
        self.bad += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, what))
        if not good:
            print("# " + details)


def main():
    run, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.getuid() != 0:
        print("1..0 # SKIP wants root")
        return 0
    part, parts = 1, 1
    if names and re.fullmatch(r"\d+/\d+", names[0]):
        part, parts = map(int, names.pop(0).split("/"))
    snippets = [s for s in every(names, sys.version_info[:2]) if s.name not in NOT_HERE][part - 1::parts]
    tap = Tap()
    with tempfile.TemporaryDirectory() as where:
        os.chmod(where, 0o755)
        lay_out(snippets, where)
        ends, errors = run_all(run, MODULES, [s.name for s in snippets], where)
        if ends is None:
            print("1..0 # SKIP no box on this host: " + errors)
            return 0
        for snippet in snippets:
            judge(tap, snippet, where, ends, errors)
        if part == parts and not names:
            judge_fresh(tap, run, where)
    print("1..%d" % tap.count)
    return tap.bad > 0


if __name__ == "__main__":
    sys.exit(main())
