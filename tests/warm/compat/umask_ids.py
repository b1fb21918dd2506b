# SPDX-License-Identifier: Apache-2.0
import os
m = os.umask(0); os.umask(m)
print(oct(m), os.getuid(), os.getgid(), os.getgroups())
