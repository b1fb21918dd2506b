# SPDX-License-Identifier: Apache-2.0
import typing
def f(x: "D") -> "int": pass
class D: pass
print(typing.get_type_hints(f))
