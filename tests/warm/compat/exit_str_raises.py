# SPDX-License-Identifier: Apache-2.0
# below: [3, 12]
import sys
class X:
    def __str__(self):
        raise ValueError("x")
sys.exit(X())
