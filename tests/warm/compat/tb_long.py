# SPDX-License-Identifier: Apache-2.0
def f(n):
    if n:
        f(n - 1)
    else:
        raise ValueError("deep")
f(30)
