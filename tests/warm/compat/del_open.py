# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        try:
            open("x", "w")
        except NameError as e:
            print(e)
a = A()
