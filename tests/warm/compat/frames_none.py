# SPDX-License-Identifier: Apache-2.0
import sys
print(sys._getframe().f_back)
try:
    sys._getframe(1)
except ValueError as e:
    print(e)
