# SPDX-License-Identifier: Apache-2.0
import os, atexit
atexit.register(lambda: print("atexit"))
pid = os.fork()
if pid:
    _, s = os.waitpid(pid, 0)
    print("parent", s)
else:
    print("child")
