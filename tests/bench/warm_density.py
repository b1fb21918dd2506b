# SPDX-License-Identifier: Apache-2.0
"""warm_density.py - many Python sessions that sleep: what each costs the machine, and that all wake up."""
import os
import statistics
import time

from living import beneath
from tapping import wait_until

KEEP_FREE = 3 << 30  # the rest of the machine wants to live
PAGE = os.sysconf("SC_PAGESIZE")
SPARE = 8  # processes that wait for the next session


def waiting():
    """Bytes that are free, and wait in the lists of the processors for whoever wants memory next.  The kernel does
    not count them as available; after much was given back there are hundreds of MB in them for some twenty seconds."""
    with open("/proc/zoneinfo") as text:
        return sum(int(line.split()[1]) for line in text if line.strip().startswith("count:")) * PAGE


def available():
    """Bytes, machine-wide."""
    with open("/proc/meminfo") as text:
        kib = next(int(line.split()[1]) for line in text if line.startswith("MemAvailable:"))
    return (kib << 10) + waiting()


def shares(top):
    """The proportional part of memory of all processes beneath, for comparison: without the kernel's."""
    total = 0
    for pid in beneath(top):
        try:
            with open("/proc/%d/smaps_rollup" % pid) as text:
                total += sum(int(line.split()[1]) << 10 for line in text if line.startswith("Pss:"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return total


def rested(seconds):
    """What is available after a while: the median of a second of looking, because others use memory as well."""
    time.sleep(seconds)
    seen = []
    for _ in range(11 if seconds else 1):
        seen.append(available())
        time.sleep(0.1 if seconds else 0)
    return statistics.median(seen)


class Sleepers:
    def __init__(self, service):
        self.service, self.names, self.why = service, [], None

    def open(self, number):
        status, answer = self.service.ask("POST", "/v1/sessions", {"tool_name": "execute_code",
                                                                   "language": "python"})
        if status != 201:
            return "%d: %s" % (status, answer.get("detail", answer))
        name = answer["id"]
        self.names.append(name)
        status, answer = self.service.ask("POST", "/v1/sessions/%s/code" % name,
                                          {"code": "mine = %d" % number})
        return None if answer.get("success") else str(answer)[:300]

    def open_all(self, wanted):
        while len(self.names) < wanted and not self.why:
            if len(self.names) % 50 == 0 and available() < KEEP_FREE:
                self.why = "less than 3 GiB of the machine's memory are left"
            else:
                self.why = self.open(len(self.names))
        return len(self.names)

    def answering(self):
        count = 0
        for number, name in enumerate(self.names):
            answer = self.service.ask("POST", "/v1/sessions/%s/code" % name, {"code": "mine"})[1]
            count += answer.get("result") == str(number)
        return count

    def close_all(self):
        for name in self.names:
            self.service.ask("DELETE", "/v1/sessions/" + name)


def measure(service, wanted, seconds):
    """A dictionary of what was seen, each time after so many seconds of rest."""
    first = Sleepers(service)
    first.open_all(1)  # what is made once is made
    first.close_all()
    processes = len(beneath(service.process.pid))
    before, share = rested(seconds), shares(service.process.pid)
    sleepers, since = Sleepers(service), time.monotonic()
    alive = sleepers.open_all(wanted)
    seconds = time.monotonic() - since
    after, share_after = rested(seconds), shares(service.process.pid)
    answering = sleepers.answering()
    sleepers.close_all()
    left = 0
    try:
        wait_until(lambda: len(beneath(service.process.pid)) <= processes + SPARE)
    except TimeoutError:
        left = len(beneath(service.process.pid)) - processes
    return {"wanted": wanted, "alive": alive, "why_fewer": sleepers.why, "answering": answering,
            "open_seconds": round(seconds, 1), "left_processes": left,
            "each_bytes": (before - after) / alive if alive else None,
            "each_pss_bytes": (share_after - share) / alive if alive else None,
            "given_back_bytes": rested(seconds) - after}
