# SPDX-License-Identifier: Apache-2.0
import atexit
def a():
    atexit.register(print, "nested")
atexit.register(a)
