# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass, field
@dataclass(order=True)
class P:
    x: int
    y: list = field(default_factory=list)
print(P(1), P(1) < P(2), P.__module__)
