# SPDX-License-Identifier: Apache-2.0
# run: "-c"
import sys
print(repr(sys.path[0]), sys.path[1:])
