# SPDX-License-Identifier: Apache-2.0
import gc
gc.disable()
class A:
    def __init__(self): self.me = self
    def __del__(self): print("del")
A()
