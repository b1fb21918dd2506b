# SPDX-License-Identifier: Apache-2.0
import gc, atexit
gc.collect = atexit._run_exitfuncs = None
atexit.register(print, "still")
print("x")
