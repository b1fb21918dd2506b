# SPDX-License-Identifier: Apache-2.0
# file: {"del_mod.py": "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self): print(\"del\", self.n)\n"}
import collections
from del_mod import A
a = A(1)
z = A(2)
_b = A(3)
