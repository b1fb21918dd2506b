# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations
def f(x: undefined_name) -> also: pass
print(f.__annotations__)
