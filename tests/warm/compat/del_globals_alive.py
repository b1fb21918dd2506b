# SPDX-License-Identifier: Apache-2.0
import os
data = {"k": 1}
class A:
    def __del__(self): print(data, os.path.join("a", "b"), __name__)
a = A()
