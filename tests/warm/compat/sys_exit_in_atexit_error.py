# SPDX-License-Identifier: Apache-2.0
import atexit, sys
def f():
    sys.exit("late")
atexit.register(f)
sys.exit(2)
