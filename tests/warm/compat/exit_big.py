# SPDX-License-Identifier: Apache-2.0
# below: [3, 12]
import sys
print("before")
sys.exit(10**30)
