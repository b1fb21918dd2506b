# SPDX-License-Identifier: Apache-2.0
import os
print(os.system("exit 3") >> 8)
print(os.popen("echo popen").read())
