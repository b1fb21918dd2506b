# SPDX-License-Identifier: Apache-2.0
import sys
class W:
    def write(self, s): return len(s)
    def flush(self): raise OSError("no flush")
sys.stdout = W()
print("x")
