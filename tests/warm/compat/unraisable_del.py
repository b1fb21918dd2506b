# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        raise ValueError("del")
a = A()
del a
print("after")
