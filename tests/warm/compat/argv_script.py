# SPDX-License-Identifier: Apache-2.0
# args: ["a", "-x", "--long=1", "", "\u00e4", "two words"]
import sys
print(sys.argv, len(sys.argv))
print([a for a in getattr(sys, "orig_argv", [])][1:])
