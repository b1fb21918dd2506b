# SPDX-License-Identifier: Apache-2.0
import os
class A:
    def __del__(self): print("kept by os")
os.a = A()
