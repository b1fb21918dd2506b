# SPDX-License-Identifier: Apache-2.0
# stdin: null
import sys
print(sys.stdin.seekable(), repr(sys.stdin.read()), sys.stdin)
