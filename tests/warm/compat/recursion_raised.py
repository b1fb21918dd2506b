# SPDX-License-Identifier: Apache-2.0
import sys
sys.setrecursionlimit(20000)
def f(n):
    return 0 if n == 0 else 1 + f(n - 1)
print(f(15000))
