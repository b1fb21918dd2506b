# SPDX-License-Identifier: Apache-2.0
import sys
print(sys.stdin.buffer.raw, sys.stdout.buffer, sys.stdin.buffer.raw.name, sys.stdin.buffer.raw.closefd)
