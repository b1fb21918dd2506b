# SPDX-License-Identifier: Apache-2.0
"""warmwatch.py - the stopwatch from Python's side: orders go in, times and what was said come back."""
import json
import math
import statistics
import subprocess


class Taken:
    """One measure: microseconds, and what was printed or answered."""

    def __init__(self, whole_us, first_us, raw):
        self.whole_us, self.first_us, self.raw = whole_us, first_us, raw

    @property
    def status(self):
        return int(self.raw[9:12]) if self.raw[:5] == b"HTTP/" else 0

    def events(self):
        """name -> the objects of a stream of events."""
        found = {}
        for piece in unchunked(self.raw).split(b"\n\n"):
            lines = dict(line.split(b": ", 1) for line in piece.splitlines() if b": " in line)
            if b"event" in lines:
                found.setdefault(lines[b"event"].decode(), []).append(json.loads(lines[b"data"]))
        return found

    def answer(self):
        """The answer itself, streamed or not."""
        if b"\r\nContent-Type: text/event-stream" in self.raw:
            return self.events().get("result", [{}])[0]
        return json.loads(self.raw.partition(b"\r\n\r\n")[2])


def unchunked(raw):
    rest, body = raw.partition(b"\r\n\r\n")[2], b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        body, rest = body + rest[:int(size, 16)], rest[int(size, 16) + 2:]
    return body


class Stopwatch:
    def __init__(self, program, service, rest_ms, belljar, state):
        clean = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8",
                 "BELLJAR_STATE": state}
        self.process = subprocess.Popen([program, str(service.port), service.path, str(rest_ms), belljar], env=clean,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def order(self, *words):
        for word in words:
            assert "\t" not in str(word) and "\n" not in str(word), word
        self.process.stdin.write(("\t".join(map(str, words)) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline().split()
        if len(line) != 3:
            raise AssertionError("the stopwatch stopped: %r" % (words,))
        raw = self.process.stdout.read(int(line[2]))
        return Taken(float(line[0]), float(line[1]), raw)

    def bare(self, *argv):
        return self.order("bare", *argv)

    def slot(self, *argv):
        return self.order("slot", *argv)

    def post(self, path, body, accept="*/*", needle=""):
        return self.order("post", path, accept, needle, "" if body is None else json.dumps(body))

    def near(self, path, body):
        return self.order("near", path, "*/*", "", json.dumps(body))

    def many(self, clients, ms, path, body, *needles):
        """Calls a second, failures, calls, and in how many answers each needle was."""
        taken = self.order("many", clients, ms, path, json.dumps(body), *needles)
        counts = [int(n) for n in taken.raw.split()]
        return taken.whole_us, int(taken.first_us), counts[0], counts[1:]

    def starts(self, n, ms, *argv):
        return self.order("starts", n, ms, *argv).whole_us

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class Measured:
    """All measures of one row; what was wrong is none."""

    def __init__(self, row):
        self.row, self.us, self.base = row, [], []
        self.wrong, self.how, self.why_cold = [], {}, {}

    def add(self, us, wrong, start, base):
        self.us.append(math.nan if wrong else us)
        self.base.append(base)
        if wrong:
            self.wrong.append(wrong)
        if start:
            for counts, word in ((self.how, start[0]), (self.why_cold, start[1])):
                if word:
                    counts[word] = counts.get(word, 0) + 1

    def not_warm(self):
        """How many came to be in another way than they should."""
        wanted = self.row.how
        return sum(n for how, n in self.how.items() if how not in wanted) if wanted else 0


def is_nan(value):
    return math.isnan(value)


def good(values):
    return sorted(v for v in values if not math.isnan(v))


def median(values):
    kept = good(values)
    return statistics.median(kept) if kept else math.nan


def p99(values):
    """Nearest rank, as in bench_stats.c."""
    kept = good(values)
    return kept[(99 * len(kept) + 99) // 100 - 1] if kept else math.nan


def ratio(values, bases):
    """The median of the ratios within a round: noise falls on both halves of a pair alike."""
    return median(v / b if b > 0 else math.nan for v, b in zip(values, bases))
