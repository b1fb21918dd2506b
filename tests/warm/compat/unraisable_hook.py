# SPDX-License-Identifier: Apache-2.0
import sys
sys.unraisablehook = lambda u: print("u", u.exc_type.__name__, u.exc_value, u.err_msg)
class A:
    def __del__(self):
        1/0
A()
