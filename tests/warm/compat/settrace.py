# SPDX-License-Identifier: Apache-2.0
import sys
n = []
def tr(f, e, a):
    n.append(e)
    return tr
sys.settrace(tr)
def f():
    return 1
f()
sys.settrace(None)
print(n)
