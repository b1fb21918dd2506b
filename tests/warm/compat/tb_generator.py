# SPDX-License-Identifier: Apache-2.0
def g():
    yield 1
    raise KeyError("g")
list(g())
