# SPDX-License-Identifier: Apache-2.0
import sys
class W:
    def write(self, s): return sys.__stdout__.write(s)
    def flush(self): sys.exit(9)
sys.stdout = W()
print("x")
