# SPDX-License-Identifier: Apache-2.0
# run: "-c"
# args: ["a", "-c", "\u00e4"]
import sys
print(sys.argv)
print(getattr(sys, "orig_argv", [])[1:2], getattr(sys, "orig_argv", [])[3:])
