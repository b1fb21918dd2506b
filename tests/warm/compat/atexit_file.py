# SPDX-License-Identifier: Apache-2.0
import atexit
atexit.register(lambda: print("__file__" in globals(), "__cached__" in globals()))
