# SPDX-License-Identifier: Apache-2.0
# run: "-c"
import sys
print(1 is 1, "linecache" in sys.modules, sys.path[0])
