# SPDX-License-Identifier: Apache-2.0
class A:
    def __init__(self, n): self.n = n
    def __del__(self): print("del", self.n)
a = A(1)
b = A(2)
c = [A(3), A(4)]
