# SPDX-License-Identifier: Apache-2.0
"""warm_report.py - what was measured of warm boxes, for people and as JSON, with the bars."""
import json
import math
import os
import platform

from warm_rows import BAR_PER_SECOND, BAR_SESSION_MIB, BAR_TAIL, CROWD
from warmwatch import is_nan, median, p99, ratio

MIB = 1 << 20
SESSIONS_TELL = 100  # fewer drown in what others use and give back meanwhile


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as text:
        for line in text:
            if line.startswith("model name"):
                model = line.partition(": ")[2].strip()
                break
    return {"kernel": platform.release(), "cores": os.cpu_count(), "processor": model,
            "load": round(os.getloadavg()[0], 1), "root": os.geteuid() == 0}


def number(value, digits=3):
    return None if value is None or is_nan(value) else round(value, digits)


def verdict(seen, bar, least=False):
    if bar is None:
        return "information"
    if seen is None:
        return "not measured"
    return "reached" if (seen >= bar if least else seen <= bar) else "NOT REACHED"


class Report:
    def __init__(self, o):
        self.o, self.machine = o, machine()
        self.rows, self.absent, self.never_warm, self.slices, self.density = {}, [], [], [], None

    def without(self, row, why):
        self.absent.append("without %s: %s" % (row.title, why))

    def add_slice(self, bare, per_second, calls, failed, warm):
        self.slices.append({"bare_per_second": number(bare, 1), "per_second": number(per_second, 1),
                            "calls": calls, "failed": failed, "warm": warm})

    # What came of it.

    def of_row(self, m):
        told = {"name": m.row.name, "title": m.row.title, "measures": len(m.us) - len(m.wrong),
                "failed": len(m.wrong), "median_us": number(median(m.us), 1), "p99_us": number(p99(m.us), 1),
                "min_us": number(min(m.us, default=math.nan), 1),
                "us": [number(u, 1) for u in m.us]}
        if not hasattr(m.row, "bare"):
            return told
        seen = number(ratio(m.us, m.base))
        told.update({"bare": m.row.bare, "bare_median_us": number(median(m.base), 1), "ratio": seen,
                     "bar": m.row.bar, "aim": m.row.aim, "verdict": verdict(seen, m.row.bar),
                     "started": m.how, "why_cold": m.why_cold, "not_warm": m.not_warm()})
        if told["not_warm"]:
            told["verdict"] = "NOT WARM"
        return told

    def tail(self):
        """p99 against the median, of the first row."""
        m = self.rows.get("print")
        if not m or is_nan(median(m.us)):
            return None
        seen = number(p99(m.us) / median(m.us), 2)
        return {"ratio": seen, "bar": BAR_TAIL, "verdict": verdict(seen, BAR_TAIL)}

    def crowd(self):
        if not self.slices:
            return None
        seen = number(median(s["per_second"] / s["bare_per_second"] for s in self.slices), 2)
        cold = sum(s["calls"] - s["warm"] for s in self.slices)
        told = {"clients": CROWD, "slices": self.slices, "ratio": seen, "bar": BAR_PER_SECOND,
                "per_second": number(median(s["per_second"] for s in self.slices), 1),
                "bare_per_second": number(median(s["bare_per_second"] for s in self.slices), 1),
                "failed": sum(s["failed"] for s in self.slices), "not_warm": cold,
                "calls": sum(s["calls"] for s in self.slices),
                "verdict": verdict(seen, BAR_PER_SECOND, least=True)}
        # A few that came while a slot was made anew are no lie; most must be warm.
        if cold * 20 > told["calls"]:
            told["verdict"] = "NOT WARM"
        return told

    def sleepers(self):
        if not self.density:
            return None
        told = dict(self.density, bar_mib=BAR_SESSION_MIB)
        each = self.density["each_bytes"]
        told["each_mib"] = None if each is None else round(each / MIB, 2)
        told["verdict"] = verdict(told["each_mib"], BAR_SESSION_MIB)
        if told["alive"] < told["wanted"]:
            told["verdict"] += ", with fewer than wanted"
        elif told["wanted"] < SESSIONS_TELL:
            told["verdict"] = "too few to say"
        return told

    def as_object(self):
        return {"machine": self.machine, "rounds": self.o.rounds, "rest_ms": self.o.rest,
                "rows": [self.of_row(m) for m in self.rows.values()], "absent": self.absent,
                "tail": self.tail(), "crowd": self.crowd(), "sleepers": self.sleepers()}

    def failures(self):
        """What must not be, whatever the times."""
        found = ["%s: %s" % (m.row.title, m.wrong[0]) for m in self.rows.values() if m.wrong]
        if self.o.must_be_warm:
            found += ["%s never was warm" % name for name in self.never_warm]
        if any(s["failed"] for s in self.slices):
            found.append("calls of the crowd failed")
        d = self.density
        if d and d["alive"] != d["answering"]:
            found.append("%d of %d sessions that slept answered" % (d["answering"], d["alive"]))
        if d and d["left_processes"]:
            found.append("%d processes are left of the sessions" % d["left_processes"])
        if d and d["alive"] == 0:
            found.append("no session: %s" % d["why_fewer"])
        return found

    def save(self, path):
        with open(path, "w") as out:
            json.dump(self.as_object(), out, indent=1)
            out.write("\n")

    # For people.

    def print_row(self, r):
        line = "  %-40s" % r["title"]
        for key in ("median_us", "p99_us", "min_us"):
            line += "%9s" % ("-" if r[key] is None else "%.2f" % (r[key] / 1e3))
        if "bare" in r:
            line += "%9s" % ("-" if r["ratio"] is None else "%.3f" % r["ratio"])
            if r["bar"]:
                line += "   bar %.2f%s: %s" % (r["bar"], " (aim %.2f)" % r["aim"] if r["aim"] else "", r["verdict"])
        print(line + ("   %d FAILED" % r["failed"] if r["failed"] else ""))
        if r.get("not_warm"):
            print("    %d of %d were not warm: %s %s" % (r["not_warm"], len(r["us"]), r["started"], r["why_cold"]))

    def print_rest(self, told):
        if told["tail"]:
            print("  p99 of print(2+2): %.2f x its median   bar %.1f: %s" % (
                told["tail"]["ratio"], BAR_TAIL, told["tail"]["verdict"]))
        c = told["crowd"]
        if c:
            print("  %d clients: %.0f warm calls a second, %.0f bare starts a second: %.2f x   bar %.1f: %s" % (
                CROWD, c["per_second"], c["bare_per_second"], c["ratio"], BAR_PER_SECOND, c["verdict"]))
            if c["not_warm"] or c["failed"]:
                print("    of %d calls %d were not warm, %d failed" % (c["calls"], c["not_warm"], c["failed"]))
        s = told["sleepers"]
        if s and s["each_mib"] is not None:
            print("  %d Python sessions asleep: %.2f MiB each of the machine (%.2f MiB as shares of their "
                  "processes), opened in %.1f s, %d answer   bar %.1f: %s" % (
                      s["alive"], s["each_mib"], s["each_pss_bytes"] / MIB, s["open_seconds"], s["answering"],
                      BAR_SESSION_MIB, s["verdict"]))
            if s["why_fewer"]:
                print("    not %d: %s" % (s["wanted"], s["why_fewer"]))

    def print(self):
        m, told = self.machine, self.as_object()
        print("Linux %s, %d cores (%s), load %.1f at the start, as %s" % (
            m["kernel"], m["cores"], m["processor"], m["load"], "root" if m["root"] else "an ordinary user"))
        print("%d rounds, %d ms rest before each; milliseconds; x: medians of the ratios to the bare start in "
              "the same round" % (self.o.rounds, self.o.rest))
        print("  %-40s%9s%9s%9s%9s" % ("", "median", "p99", "min", "x bare"))
        for row in told["rows"]:
            self.print_row(row)
        self.print_rest(told)
        for line in self.absent + self.failures():
            print("  " + line)
