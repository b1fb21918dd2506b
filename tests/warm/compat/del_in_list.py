# SPDX-License-Identifier: Apache-2.0
class N:
    def __init__(self, p): self.p = p
    def __del__(self): print("N")
x = N(None)
x = N(x)
