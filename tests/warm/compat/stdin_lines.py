# SPDX-License-Identifier: Apache-2.0
# stdin: "one\ntwo\r\nthree"
import sys
for line in sys.stdin:
    print(repr(line))
