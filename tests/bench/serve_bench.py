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
    print("in turn, %d rounds          median       p99   (failed)" % ROUNDS)
    for name, words in (("bare_python", "python3 -c 'print(2+2)'"), ("post_python", "POST, the same code"),
                        ("bare_true", "/bin/true"), ("post_true", "POST, run_command true")):
        _, failed, _, median, p99 = told[name]
        print("  %-24s %7.2f ms %7.2f ms   %s" % (words, median / 1e3, p99 / 1e3,
                                                "(%d)" % failed if failed else ""))
    for name, bar, words in (("ratio_python", BAR_PYTHON, "cold Python over a bare start"),
                             ("ratio_true", BAR_TRUE, "true over a bare exec")):
        ratio = told[name][0]
        print("  %-34s %5.2fx   bar %.1fx: %s" % (words, ratio, bar, verdict(ratio <= bar)))


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
