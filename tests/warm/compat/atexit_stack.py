# SPDX-License-Identifier: Apache-2.0
import atexit, sys, traceback
@atexit.register
def f():
    print(sys._getframe().f_back)
    traceback.print_stack()
