# SPDX-License-Identifier: Apache-2.0
x = 1
print(x is 1)
def f():
    nonlocal x
print("more")
