# SPDX-License-Identifier: Apache-2.0
import atexit, sys
atexit.register(lambda: print("__file__" in globals()))
1/0
