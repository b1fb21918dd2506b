# SPDX-License-Identifier: Apache-2.0
# file: {"random.py": "print(\"my random\")\n"}
import statistics
print("unreached?")
