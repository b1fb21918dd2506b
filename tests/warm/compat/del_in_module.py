# SPDX-License-Identifier: Apache-2.0
# file: {"keeps.py": "class A:\n    def __del__(self): print(\"module del\", x)\na = A()\nx = 1\n"}
import keeps
keeps.x = 5
print("end")
