# SPDX-License-Identifier: Apache-2.0
# file: {"re/__init__.py": "X1 = 1\n"}
import re
print(re.X1)
