# SPDX-License-Identifier: Apache-2.0
import sys
print("before")
sys.exit(-1)
