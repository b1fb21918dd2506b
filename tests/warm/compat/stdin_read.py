# SPDX-License-Identifier: Apache-2.0
# stdin: "\u00e4\u00f6\u0000\n\n"
import sys
print(repr(sys.stdin.read()), repr(sys.stdin.read()))
