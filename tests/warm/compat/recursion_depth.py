# SPDX-License-Identifier: Apache-2.0
import sys
def f(n):
    try:
        return f(n + 1)
    except RecursionError:
        return n
print(f(0), sys.getrecursionlimit())
