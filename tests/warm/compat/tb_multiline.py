# SPDX-License-Identifier: Apache-2.0
def f(*a):
    raise TypeError("no")
f(
    1,
    2,
    3)
