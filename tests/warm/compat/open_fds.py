# SPDX-License-Identifier: Apache-2.0
import os
print(sorted(int(f) for f in os.listdir("/proc/self/fd"))[:3])
for fd in range(3, 40):
    try:
        os.fstat(fd)
        print("open", fd)
    except OSError:
        pass
