# SPDX-License-Identifier: Apache-2.0
# args: ["\udcff\udc80x"]
import os, sys
print([os.fsencode(a) for a in sys.argv[1:]])
