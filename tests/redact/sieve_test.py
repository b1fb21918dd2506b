#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sieve_test.py BELLJAR DIRECT [PART OF A NAME]: what comes out of belljar run is what the redactor makes of it.

belljar run lets lines out that are innocent, and asks its aide about the rest, in the pieces in
which a program happens to write.  However a text is cut, on whichever way it comes out, the result
must be that of the redactor (DIRECT) with the whole text before it.
"""
import glob
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import patience

BELLJAR, DIRECT = (os.path.realpath(p) for p in sys.argv[1:3])
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus")
SEED = int(os.environ.get("SIEVE_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
LIMIT_S = 60
KEY = b"AKIAQWERTYUIOP234567"
PASSWORD = b"password = hunter2-Wq9zL0xVt"
chance = random.Random(SEED)

# Writes /in/text to the descriptors in pieces of so many bytes, with a moment between them.
WRITER = """
import json, os, signal, time
plan = json.load(open('/in/plan'))
text = open('/in/text', 'rb').read()
for n in plan['pieces']:
    piece, text = text[:n], text[n:]
    for fd in plan['to']:
        rest = piece
        while rest:
            rest = rest[os.write(fd, rest):]
    if plan['pause']:
        time.sleep(plan['pause'])
if plan['die']:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def check(truth, what="not true"):
    if not truth:
        raise AssertionError(what)


def direct(text):
    return subprocess.run([DIRECT], input=text, capture_output=True, check=True,
                          timeout=LIMIT_S).stdout


def first_difference(got, wanted):
    at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b),
              min(len(got), len(wanted)))
    return f"at {at} of {len(wanted)}: {got[max(at - 20, 0):at + 60]!r} is not " \
           f"{wanted[max(at - 20, 0):at + 60]!r}"


class Box:
    """belljar run, with a state of its own."""

    def __init__(self, directory):
        self.dir = directory
        os.mkdir(f"{directory}/in")
        self.env = {"PATH": "/usr/bin:/bin", "HOME": directory, "BELLJAR_POLICY": "",
                    "BELLJAR_STATE": f"{directory}/state"}

    def run(self, *words, options=(), **more):
        degraded = [] if os.geteuid() == 0 else ["--allow-degraded", "memory,processes,cpu"]
        return subprocess.run([BELLJAR, "run", *degraded, "--quiet", "--output", "32m", "--disk",
                               "64m", "--wall", "50s", *options, "--read", f"{self.dir}/in:/in",
                               "--", *words], env=self.env, capture_output=True, timeout=LIMIT_S,
                              **more)

    def printed(self, text, pieces, to=(1,), pause=0.0, die=False):
        """Compares what comes out with what the redactor makes of the text."""
        pieces = [*pieces, len(text)]
        with open(f"{self.dir}/in/text", "wb") as out:
            out.write(text)
        with open(f"{self.dir}/in/plan", "w", encoding="ascii") as out:
            json.dump({"pieces": pieces, "to": to, "pause": pause, "die": die}, out)
        done = self.run("/usr/bin/python3", "-ISc", WRITER)
        check(done.returncode == (137 if die else 0), done.stderr[-500:])
        wanted = direct(text)
        for fd, got in ((1, done.stdout), (2, done.stderr)):
            if fd in to:
                check(got == wanted, f"descriptor {fd}, pieces {pieces[:9]}, "
                      f"{first_difference(got, wanted)}")


def cuts(text, most):
    """Random pieces of up to so many bytes."""
    pieces, left = [], len(text)
    while left > 0 and len(pieces) < 4000:
        pieces.append(chance.randint(1, most))
        left -= pieces[-1]
    return pieces


def examples():
    return subprocess.run([DIRECT, "examples"], capture_output=True, check=True).stdout


def test_a_secret_cut_at_any_place(box):
    text = b"fine so far\nid " + KEY + b" end\n"
    for at in range(12, len(text)):
        box.printed(text, [at], pause=0.002)


def test_a_secret_cut_into_bytes(box):
    box.printed(b"ok\n" + KEY + b"\n" + PASSWORD + b"\nfrom 8.8.8.8", [1] * 90, pause=0.0005)


def test_the_examples_of_all_rules(box):
    text = examples()
    check(text.count(b"\n") > 150)
    for most in (7, 200, 5000, 65536):
        box.printed(text, cuts(text, most))
    lines = text.splitlines(keepends=True)
    chance.shuffle(lines)
    harmless = b"step %d of 9: all is well\n"
    text = b"".join(harmless % (i % 9) * chance.randint(0, 3) + line
                    for i, line in enumerate(lines))
    box.printed(text, cuts(text, 300), to=(1, 2))


def test_one_example_after_innocent_lines(box):
    """Each is the first that is not innocent: the border between the two ways."""
    lines = examples().splitlines(keepends=True)
    for line in chance.sample(lines, 24):
        text = b"all is well\n" * chance.randint(1, 40) + line
        box.printed(text, [len(text) - len(line) + chance.randint(0, len(line))], pause=0.001)


def test_the_corpus(box):
    for path in sorted(glob.glob(f"{CORPUS}/*.corpus")):
        with open(path, "rb") as source:
            text = source.read()
        box.printed(text, cuts(text, chance.choice([50, 4096, 65536])), to=(1, 2))


def test_what_a_terminal_would_not_show(box):
    parts = [KEY[:7], KEY[7:]]
    between = [b"\0", b"\r", b"\b", b"\x1b[0m", b"\x1b]0;t\x07", b"\xe2\x80\x8b", b"\xe2\x80\xae",
               b"\xef\xbb\xbf", b"\x7f", b"\xff", b"\xc2\xad", b"\x1b[31", b"\x9b1m", b"\x18"]
    text = b"".join(b"plain\n" + parts[0] + b + parts[1] + b"\n" for b in between)
    box.printed(text, cuts(text, 9))
    box.printed(text, [])
    for code in ("utf-16-le", "utf-16-be", "utf-16"):
        wide = ("so it is\nid " + KEY.decode() + " end\nlast").encode(code)
        box.printed(wide, cuts(wide, 3))
    box.printed(b"fine\n" + KEY + b"\rxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", [7])


def test_lines_without_an_end(box):
    for size in (65535, 65536, 65537, 131071, 131072, 131073, 300000):
        text = b"ok\n" + b"word " * (size // 5) + b"." * (size % 5 - 10) + b" " + KEY
        box.printed(text, cuts(text, 65536))
    text = b"a b " * 50000 + KEY + b" " + b"c d " * 50000 + PASSWORD
    box.printed(text, [199990, 15, 3], pause=0.001)
    # The borders of pipes, chunks and messages.
    for border in (4096, 16384, 32768, 65536, 98304, 131072):
        text = b"x y\n" * (border // 4 - 2) + b"id " + KEY + b"\n" + b"x y\n" * 100
        box.printed(text, [border])


def test_a_private_key_however_it_is_cut(box):
    body = b"".join(b"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
                    for _ in range(20))
    block = b"-----BEGIN RSA PRIVATE KEY-----\n" + body + b"-----END RSA PRIVATE KEY-----\n"
    for text in (b"before\n" + block + b"after\n", b"before\n" + block[:-40],
                 b"before\n" + block[:500], b"fine\n" + block.replace(b"\n", b"\\n") + b"\n"):
        box.printed(text, cuts(text, 60), pause=0.0002)


def test_output_right_before_death(box):
    for end in (b"", b"\n"):
        box.printed(b"fine\n" + KEY + end, [9], die=True)
        box.printed(b"fine\n" + PASSWORD + end, [], to=(1, 2), die=True)


def test_noise(box):
    pieces = [KEY, PASSWORD, b"8.8.8.8", b"fe80::1", b"\n", b"\n", b" ", b"=", b": ", b"token",
              b"\x1b[1m", b"\xc3\xa9", b"/home/" b"alice/x", b"word ", b"key", b"-----BEGIN ", b"%20"]
    for _ in range(12):
        text = b"".join(chance.choice(pieces) for _ in range(chance.randint(5, 3000)))
        box.printed(text, cuts(text, chance.choice([3, 100, 9000])), to=(1, 2))


def test_files_and_what_comes_in(box):
    text = examples() + b"the last line " + KEY
    with open(f"{box.dir}/in/text", "wb") as out:
        out.write(text)
    done = box.run("/bin/sh", "-c", "cp /in/text a; head -c 70000 /dev/zero | tr '\\0' x > b; "
                   "cat /in/text >> b", options=["--get", f"*:{box.dir}/out"])
    check(done.returncode == 0, done.stderr)
    with open(f"{box.dir}/out/a", "rb") as a, open(f"{box.dir}/out/b", "rb") as b:
        check(a.read() == direct(text), "a file")
        check(b.read() == direct(b"x" * 70000 + text), "a file with a long line")
    done = box.run("/bin/cat", options=["--stdin"], input=text)
    check(done.returncode == 0 and done.stdout == direct(text), done.stderr[:500])


def main():
    tests = [(n, t) for n, t in list(globals().items())
             if n.startswith("test_") and (len(sys.argv) < 4 or sys.argv[3] in n)]
    failed = 0
    print(f"1..{len(tests)}\n# SIEVE_SEED={SEED}", flush=True)
    for number, (name, test) in enumerate(tests, 1):
        try:
            with patience.scratch(prefix="belljar-sieve-", dir="/var/tmp") as directory:
                test(Box(directory))
            print(f"ok {number} - {name}", flush=True)
        except Exception as what:  # pylint: disable=broad-except
            failed += 1
            text = str(what).replace("\n", " ")
            print(f"# {type(what).__name__}: {text[:2000]}\nnot ok {number} - {name}", flush=True)
    sys.exit(1 if failed else 0)


main()
