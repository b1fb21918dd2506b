# SPDX-License-Identifier: Apache-2.0
import enum, collections, typing
class E(enum.Enum):
    A = 1
N = collections.namedtuple("N", "a b")
class T(typing.NamedTuple):
    q: int
print(E.A, N(1, 2), T(3), E.__module__, N.__module__)
