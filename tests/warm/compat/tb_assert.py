# SPDX-License-Identifier: Apache-2.0
x = 3
assert x == 4, "x is " + str(x)
