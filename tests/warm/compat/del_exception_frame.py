# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self): print("frame del")
def f():
    a = A()
    raise ValueError("v")
f()
