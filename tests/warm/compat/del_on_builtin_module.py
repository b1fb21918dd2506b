# SPDX-License-Identifier: Apache-2.0
import math
class A:
    def __del__(self): print("kept by math")
math.a = A()
