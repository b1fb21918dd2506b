# SPDX-License-Identifier: Apache-2.0
import sys
class M:
    def __del__(self): print("M")
sys.modules["__main__"] = M()
print("x")
