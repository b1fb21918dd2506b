# SPDX-License-Identifier: Apache-2.0
import os
pid = os.fork()
if pid == 0:
    1/0
_, s = os.waitpid(pid, 0)
print(os.WEXITSTATUS(s))
