#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""serve_bench.py BELLJAR LOAD [ROUNDS] - what the service costs, against its bars.

Bare starts and calls take turns in the same rounds, so that noise falls on both alike; ratios are
medians over the rounds.
"""
import sys

from benchservice import PYTHON, TRUE, BenchService

BAR_PYTHON, BAR_TRUE, BAR_FRONT_US = 1.3, 3.0, 60.0
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 400
HEALTH = 50 * ROUNDS


def verdict(is_met):
    return "met" if is_met else "MISSED"


def starts(service):
    told = service.load("pairs", ROUNDS, PYTHON, TRUE)
    print("%d rounds: a bare start, then POST          min    median       p99   (failed)" % ROUNDS)
    for how, words in (("same", ""), ("mixed", ", tools in turn")):
        for kind, bare, bar in (("python", "python3 -c 'print(2+2)'", BAR_PYTHON),
                                ("true", "/bin/true", BAR_TRUE)):
            for name, label in (("bare", bare), ("post", "POST of the same" + words)):
                _, failed, least, median, p99 = told["%s_%s_%s" % (how, name, kind)]
                print("  %-34s %7.2f ms %6.2f ms %6.2f ms   %s" % (
                    label, least / 1e3, median / 1e3, p99 / 1e3, "(%d)" % failed if failed else ""))
            ratio = told["%s_ratio_%s" % (how, kind)][0]
            print("    %.2fx %s" % (ratio, "   bar %.1fx: %s" % (bar, verdict(ratio <= bar))
                                    if how == "same" else ""))


def front(service):
    before = service.cpu_us("front")
    told = service.load("many", 8, HEALTH, "/healthz")
    per_request = (service.cpu_us("front") - before) / HEALTH
    print("front alone, GET /healthz, 8 clients: %.0f/s, %.1f us of its processor time each   "
          "bar %.0f us: %s" % (told["per_second"][0], per_request, BAR_FRONT_US,
                               verdict(per_request <= BAR_FRONT_US)))
    before = service.cpu_us("front")
    service.load("many", 8, 10 * ROUNDS, "/execute", TRUE)
    print("front with the box, POST true, 8 clients: %.1f us of its processor time each"
          % ((service.cpu_us("front") - before) / (10 * ROUNDS)))


def clients(service):
    print("at once      true: calls/s      p50       p99     python: calls/s      p50       p99")
    for n in (1, 4, 16, 64):
        row = []
        for body in (TRUE, PYTHON):
            told = service.load("many", n, max(ROUNDS, 4 * n), "/execute", body)
            _, failed, _, median, p99 = told["calls"]
            row += [told["per_second"][0], median / 1e3, p99 / 1e3]
            if failed:
                print("  %d of them failed" % failed)
        print("%7d      %12.0f %6.1f ms %6.1f ms      %12.0f %6.1f ms %6.1f ms" % (n, *row))


with BenchService(sys.argv[1], sys.argv[2]) as served:
    starts(served)
    front(served)
    clients(served)
