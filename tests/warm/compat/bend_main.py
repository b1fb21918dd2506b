# SPDX-License-Identifier: Apache-2.0
import sys
del sys.modules["__main__"]
class A:
    def __del__(self): print("del")
a = A()
