# SPDX-License-Identifier: Apache-2.0
# file: {"beside.py": "X = 5\n"}
import beside
print(beside.X, beside.__file__.endswith("/beside.py"), beside.__name__)
