# SPDX-License-Identifier: Apache-2.0
import sys
try:
    sys.exit(5)
finally:
    print("finally")
