# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        raise ValueError("at the end")
a = A()
