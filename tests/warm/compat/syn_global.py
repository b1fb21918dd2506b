# SPDX-License-Identifier: Apache-2.0
def f():
    x = 1
    global x
