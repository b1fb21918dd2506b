# SPDX-License-Identifier: Apache-2.0
from math import *
print(floor(pi), len([k for k in globals() if k[0] != "_"]) > 40)
