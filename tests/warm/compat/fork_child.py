# SPDX-License-Identifier: Apache-2.0
import os, sys
pid = os.fork()
if pid == 0:
    print("child")
    sys.exit(3)
_, s = os.waitpid(pid, 0)
print(os.WEXITSTATUS(s))
