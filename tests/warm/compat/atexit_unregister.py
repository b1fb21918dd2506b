# SPDX-License-Identifier: Apache-2.0
import atexit
atexit.register(print, "no")
atexit.unregister(print)
print(atexit._ncallbacks())
