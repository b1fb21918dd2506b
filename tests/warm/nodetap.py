# SPDX-License-Identifier: Apache-2.0
"""nodetap.py - TAP for the tests of node: one line for each thing that is looked at."""


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, what, *details):
        self.count += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, what), flush=True)
        for detail in details if not good else ():
            for line in str(detail).splitlines()[:40]:
                print("#   " + line[:2000])

    def skip(self, what, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, what, why), flush=True)
