# SPDX-License-Identifier: Apache-2.0
def f():
    try:
        {}["a"]
    except KeyError as e:
        raise ValueError("bad") from e
try:
    f()
except ValueError:
    raise RuntimeError("again")
