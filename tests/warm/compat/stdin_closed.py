# SPDX-License-Identifier: Apache-2.0
import sys
sys.stdin.close()
try:
    input()
except ValueError as e:
    print(e)
