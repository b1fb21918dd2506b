# SPDX-License-Identifier: Apache-2.0
import threading
class A:
    def __del__(self): print("local del")
l = threading.local()
l.a = A()
