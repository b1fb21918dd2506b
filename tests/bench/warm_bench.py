#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""warm_bench.py BELLJAR LOAD STOPWATCH [options] - what warm boxes cost, against bare starts and their bars.

Each thing is done once a round, after a rest, the bare start of the same in the same round, and behind
another each time: nobody has only one's left-overs.  Ratios are medians of the ratios within a round.  A missed bar is told, and no failure; a wrong
answer is one.
"""
import argparse
import os
import random
import sys

from benchservice import BenchService
from tapping import wait_until
from warm_density import measure
from warm_picture import draw
from warm_report import Report
from warm_rows import CROWD, IMPORTS, NUMPY, PRINT, PYTHON, WARM, Bare, call, groups, policy
from warmwatch import Measured, Stopwatch, is_nan


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("belljar")
    parser.add_argument("load")
    parser.add_argument("stopwatch")
    parser.add_argument("--rounds", type=int, default=150, help="how often each thing is done (150)")
    parser.add_argument("--rest", type=int, default=30, help="milliseconds before each (30)")
    parser.add_argument("--sessions", type=int, default=1000, help="how many shall sleep (1000); 0: none")
    parser.add_argument("--slices", type=int, default=4, help="of calls and of bare starts, in turn (4)")
    parser.add_argument("--slice-ms", type=int, default=3000, help="how long each is (3000)")
    parser.add_argument("--only", default="", help="names of rows, crowd, sessions, separated by commas")
    parser.add_argument("--quick", action="store_true", help="few sessions, a short slice, hardly any rest")
    parser.add_argument("--must-be-warm", action="store_true",
                        help="a call that does not become warm within a minute is a failure")
    parser.add_argument("--json", metavar="FILE", help="all of it, for programs")
    parser.add_argument("--svg", metavar="FILE", help="a picture")
    o = parser.parse_args()
    if o.quick:
        o.rest, o.sessions, o.slices, o.slice_ms = 1, min(o.sessions, 3), min(o.slices, 1), 300
    o.belljar = os.path.realpath(o.belljar)
    o.only = [name for name in o.only.split(",") if name]
    return o


def wanted(o, name):
    return not o.only or name in o.only


class WarmService(BenchService):
    def __init__(self, o, sessions):
        self.text = policy(sessions)
        super().__init__(o.belljar, o.load)

    def put_policy(self, text=None):
        super().put_policy(text or self.text)


class Bench:
    def __init__(self, o, service, report):
        self.o, self.service, self.report = o, service, report
        self.watch = Stopwatch(o.stopwatch, service, o.rest, o.belljar, service.dir + "/slot-state")
        self.kept = None

    def session(self):
        """The session of the rows that want one; x is 2 there."""
        if not self.kept:
            self.kept = self.service.ask("POST", "/v1/sessions", {
                "tool_name": "execute_code", "language": "python"})[1]["id"]
            self.service.ask("POST", "/v1/sessions/%s/code" % self.kept, {"code": "x = 2"})
        return self.kept

    def close(self, name):
        self.service.ask("DELETE", "/v1/sessions/" + name)

    def scripts(self):
        found = {}
        for name, text in (("imports", IMPORTS), ("numpy", NUMPY)):
            found[name] = "%s/with_%s.py" % (self.service.dir, name)
            with open(found[name], "w") as out:
                out.write(text)
        return found

    def absent(self, row):
        """Why a row cannot be measured here, or None."""
        needs = getattr(row, "bare", row.name)
        if needs == "bare_numpy" and is_nan(self.watch.bare(PYTHON, "-c", "import numpy").whole_us):
            return "numpy is not installed (python3-numpy)"
        if needs == "bare_node" and not os.access("/usr/bin/node", os.X_OK):
            return "node is not installed (nodejs)"
        if row.name == "fork" and "/v1/sessions/{session}/fork" not in \
                self.service.ask("GET", "/openapi.json")[1]["paths"]:
            return "there is no such route"
        return None

    def choose(self, rows):
        if self.o.only:
            rows = [r for r in rows if r.name in self.o.only]
            needed = {r.bare for r in rows}
            rows = [r for group in groups(self.scripts()) for r in group if r.name in needed] + rows
            rows = list({r.name: r for r in rows}.values())
        chosen = []
        for row in rows:
            why = self.absent(row)
            if why:
                self.report.without(row, why)
            else:
                chosen.append(row)
        return chosen

    def warm_up(self, rows):
        """Until each is as warm as it should be; what never is, is measured nevertheless, and named."""
        for row in rows:
            how = getattr(row, "how", None)
            try:
                wait_until(lambda: (row.take(self)[2] or ("",))[0] in how if how else row.take(self),
                           60 if self.o.must_be_warm else 10)
            except TimeoutError:
                self.report.never_warm.append(row.name)

    def run(self, rows):
        rows = self.choose(rows)
        self.warm_up(rows)
        turns = random.Random(1)  # the same in every run of the benchmark
        for _ in range(self.o.rounds):
            taken = {row.name: row.take(self) for row in turns.sample(rows, len(rows))}
            for row in rows:
                base = None if isinstance(row, Bare) else taken[row.bare][0]
                self.report.rows.setdefault(row.name, Measured(row)).add(*taken[row.name], base)

    def compete(self):
        """Warm calls of many clients, and bare starts, two for each core, in turn."""
        argv, at_once = (PYTHON, "-c", PRINT), 2 * (os.cpu_count() or 1)
        needles = ['"output":"4\\n"'] + ['"how":"%s"' % how for how in WARM]
        body = call(PRINT)
        self.watch.many(CROWD, self.o.slice_ms / 3, "/execute", body, *needles)
        for _ in range(self.o.slices):
            bare = self.watch.starts(at_once, self.o.slice_ms, *argv)
            per_second, failed, calls, seen = self.watch.many(CROWD, self.o.slice_ms, "/execute", body, *needles)
            self.report.add_slice(bare, per_second, calls, max(failed, calls - seen[0]), sum(seen[1:]))


MOST_SESSIONS = 1000  # that a policy may ask for


def sleep_many(o, report):
    with WarmService(o, min(o.sessions + 2, MOST_SESSIONS)) as service:
        report.density = measure(service, o.sessions, 0 if o.quick else 5)


def main():
    o = options()
    report = Report(o)
    with WarmService(o, 64) as service:
        bench = Bench(o, service, report)
        try:
            for rows in groups(bench.scripts()):
                bench.run(rows)
            if o.slices and wanted(o, "crowd"):
                bench.compete()
            if bench.kept:
                bench.close(bench.kept)
        finally:
            bench.watch.end()
    if o.sessions and wanted(o, "sessions"):
        sleep_many(o, report)
    report.print()
    told = report.as_object()
    if o.json:
        report.save(o.json)
    if o.svg:
        with open(o.svg, "w") as out:
            out.write(draw(told))
    return 1 if report.failures() else 0


if __name__ == "__main__":
    sys.exit(main())
