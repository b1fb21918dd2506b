# SPDX-License-Identifier: Apache-2.0
# stdin: "a\r\nb"
import sys
print(sys.stdin.buffer.read())
