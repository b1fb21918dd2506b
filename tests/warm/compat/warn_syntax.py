# SPDX-License-Identifier: Apache-2.0
# file: {"linecache.py": "import sys\nprint('linecache', len(sys.path))\n"}
import sys
x = 1
print(x is 1, "linecache" in sys.modules, sys.path[0])
