# SPDX-License-Identifier: Apache-2.0
import sys
m = sys.modules["__main__"]
print(m, m.__dict__ is globals())
import __main__
print(__main__ is m)
