# SPDX-License-Identifier: Apache-2.0
# script: "./main.py"
import sys
print(sys.argv, __file__.count("/./"), sys.path[0][-5:] != ".")
