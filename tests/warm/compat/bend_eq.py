# SPDX-License-Identifier: Apache-2.0
class E:
    def __eq__(self, o): raise ValueError("eq")
    __hash__ = None
e = E()
print("x")
