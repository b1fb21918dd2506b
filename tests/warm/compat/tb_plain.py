# SPDX-License-Identifier: Apache-2.0
def f(x):
    return 1 / x
def g():
    return f(0) + 1
g()
