# SPDX-License-Identifier: Apache-2.0
import json, math
def f(x): return x + 1
def g(x, y=[1]): return y
n = f(2)
t = "text"
print(n, t, g(1), math.pi)
