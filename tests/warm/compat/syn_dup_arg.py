# SPDX-License-Identifier: Apache-2.0
def f(a, a):
    pass
