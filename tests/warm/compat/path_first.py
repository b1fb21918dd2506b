# SPDX-License-Identifier: Apache-2.0
import sys, os
print(repr(sys.path[0]), len(sys.path) == len(set(sys.path)))
print(sys.path[1:])
