# SPDX-License-Identifier: Apache-2.0
class M(type):
    def __getattribute__(c, n): print("seen", n); return type.__getattribute__(c, n)
    def __eq__(c, o): print("eq"); return False
    def __hash__(c): print("hash"); return 1
class C(metaclass=M): pass
c = C()
print("x")
