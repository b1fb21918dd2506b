# SPDX-License-Identifier: Apache-2.0
import sys
class A:
    def __del__(self): print("frame del")
def f():
    a = A()
    sys.exit(3)
f()
