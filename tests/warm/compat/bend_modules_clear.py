# SPDX-License-Identifier: Apache-2.0
import sys, os
m = dict(sys.modules)
sys.modules.clear()
print("x")
