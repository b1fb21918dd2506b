# SPDX-License-Identifier: Apache-2.0
import sys
if sys.version_info >= (3, 11):
    raise ExceptionGroup("g", [ValueError(1), TypeError("t")])
print("old")
