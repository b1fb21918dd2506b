#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# driver_test.py - each snippet by python3 and by a child of a waiting python3, without a box: the same output and end.
#
# driver_test.py EXTENSION [--python PYTHON] [--modules M,M] [SNIPPET...]
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fakezygote import STANDARD, Fake  # noqa: E402
from snippets import every, plain  # noqa: E402

MODULES = ["json", "re", "datetime", "random", "statistics"]


def streams(snippet, where):
    """Descriptors 0, 1, 2 and a function that answers what came out."""
    data = snippet.stdin()
    if data is None:
        stdin = os.open("/dev/null", os.O_RDONLY)
    else:
        stdin, feed = os.pipe()
        if os.fork() == 0:  # more than a pipe holds
            os.close(stdin)
            try:
                while data:
                    data = data[os.write(feed, data):]
            finally:
                os._exit(0)
        os.close(feed)
    out = [tempfile.TemporaryFile() for _ in range(2)]
    pipes = [os.pipe() for _ in range(2)]
    cats = []
    for (r, w), f in zip(pipes, out):
        os.set_inheritable(r, False)
        cats.append(subprocess.Popen(["cat"], stdin=r, stdout=f))
        os.close(r)
    fds = [stdin, pipes[0][1], pipes[1][1]]
    if snippet.says.get("tofile"):
        os.close(fds[1])
        fds[1] = os.open(os.path.join(where, "stdout"), os.O_WRONLY | os.O_CREAT)

    def came():
        for cat in cats:
            cat.wait(60)
        for f in out:
            f.seek(0)
        return [plain(f.read()) for f in out]

    return fds, came


def left(snippet, where):
    try:
        with open(os.path.join(where, snippet.says.get("after", "stdout")), "rb") as f:
            return f.read()
    except OSError:
        return None


def run_cold(python, snippet, where):
    snippet.lay_out(where)
    fds, came = streams(snippet, where)
    process = subprocess.Popen([python, *snippet.argv()], stdin=fds[0], stdout=fds[1], stderr=fds[2], cwd=where,
                               env={**STANDARD, **snippet.says.get("env", {})})
    for fd in fds:
        os.close(fd)
    status = process.wait(60)
    return came(), status, left(snippet, where)


def run_warm(fake, snippet, where):
    snippet.lay_out(where)
    fds, came = streams(snippet, where)
    fake.send(fds, [fake.python, *snippet.argv()], {**STANDARD, **snippet.says.get("env", {})}, where)
    for fd in fds:
        os.close(fd)
    status = fake.status()
    return came(), status, left(snippet, where)


def main():
    args = sys.argv[1:]
    extension, python, modules = args.pop(0), "/usr/bin/python3", MODULES
    while args and args[0].startswith("--"):
        word, value = args.pop(0), args.pop(0)
        python = value if word == "--python" else python
        modules = value.split(",") if word == "--modules" else modules
    version = subprocess.check_output([python, "-c", "import sys; print(*sys.version_info[:2])"]).split()
    snippets = list(every(args, tuple(map(int, version))))
    print("1..%d" % len(snippets))
    bad = 0
    with tempfile.TemporaryDirectory() as where:
        fake = Fake(extension, python, [m for m in modules if m])
        for i, snippet in enumerate(snippets, 1):
            cold, warm = run_cold(python, snippet, where), run_warm(fake, snippet, where)
            print("%sok %d %s" % ("" if cold == warm else "not ", i, snippet.name), flush=True)
            if cold != warm:
                bad += 1
                print("# cold %r\n# warm %r" % (cold, warm))
        fake.close()
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
