# SPDX-License-Identifier: Apache-2.0
# run: "-c"
def f(x):
    return 1 / x
f(0)
