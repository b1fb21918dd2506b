# SPDX-License-Identifier: Apache-2.0
import atexit
def f():
    raise ValueError("atexit")
atexit.register(print, "first registered")
atexit.register(f)
