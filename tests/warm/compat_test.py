#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# compat_test.py - each snippet in a cold box and in a warm one: the same output, the same errors, the same end.
#
# compat_test.py COMPAT_RUN [SNIPPET...]
import os
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


def put(where, name, data):
    with open(os.path.join(where, name), "wb") as f:
        f.write(data)


def write_words(snippet, where):
    words = [os.fsencode(w) for w in ["python3", *snippet.argv()]]
    own = [os.fsencode("%s=%s" % pair) for pair in snippet.says.get("env", {}).items()]
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
        write_words(snippet, here)
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


def main():
    run, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.getuid() != 0:
        print("1..0 # SKIP wants root")
        return 0
    snippets = [s for s in every(names, sys.version_info[:2]) if s.name not in NOT_HERE]
    with tempfile.TemporaryDirectory() as where:
        os.chmod(where, 0o755)
        lay_out(snippets, where)
        modules = [word for m in MODULES for word in ("-m", m)]
        done = subprocess.run([run, *modules, *(s.name for s in snippets)], cwd=where, capture_output=True, text=True)
        if done.returncode == 125:
            print("1..0 # SKIP no box on this host: " + done.stderr.replace("\n", " ")[:200])
            return 0
        ends = {}
        for line in done.stdout.splitlines():
            name, which, *rest = line.split("\t")
            ends[name, which] = rest
        return judge(snippets, where, ends, done.stderr)


def judge(snippets, where, ends, errors):
    bad = 0
    print("1..%d" % len(snippets))
    for i, snippet in enumerate(snippets, 1):
        cold, warm = (taken(where, snippet.name, which, ends) for which in ("cold", "warm"))
        how, why = ends.get((snippet.name, "warm"), ["", "", "none", errors[-500:], ""])[2:4]
        was_warm = how in ("waiting", "forked") or snippet.name in COLD
        good = cold == warm and was_warm
        bad += not good
        print("%sok %d - %s" % ("" if good else "not ", i, snippet.name))
        if not good:
            print("# cold %r\n# warm %r\n# %s: %s" % (cold, warm, how, why))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
