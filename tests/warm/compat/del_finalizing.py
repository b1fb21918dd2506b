# SPDX-License-Identifier: Apache-2.0
import sys
class A:
    def __del__(self): print(sys.is_finalizing(), sys.modules, sys.path, sys.meta_path)
a = A()
