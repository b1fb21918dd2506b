# SPDX-License-Identifier: Apache-2.0
import builtins, sys
for n in ("len", "type", "isinstance", "getattr", "list", "dict", "map", "callable", "hasattr", "repr"):
    delattr(builtins, n)
class A:
    def __del__(self): sys.__stdout__.write("del\n")
a = A()
raise ValueError("bent")
