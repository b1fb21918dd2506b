# SPDX-License-Identifier: Apache-2.0
class A:
    def __init__(self, n): self.n = n; self.me = self
    def __del__(self): print("del", self.n)
A(1)
b = A(2)
