# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        try:
            import json
            print("json", json)
        except ImportError as e:
            print("ImportError", e)
a = A()
