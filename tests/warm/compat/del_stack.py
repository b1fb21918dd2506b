# SPDX-License-Identifier: Apache-2.0
import sys
class A:
    def __del__(self): print(sys is not None and sys._getframe().f_back)
a = A()
