# SPDX-License-Identifier: Apache-2.0
import os
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    os.write(w, b"y" if os.getppid() != os.getpid() else b"n")
    os._exit(0)
os.waitpid(pid, 0)
print(os.read(r, 1))
