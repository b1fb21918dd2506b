# SPDX-License-Identifier: Apache-2.0
# tofile: true
import sys
print(sys.stdout.seekable(), sys.stdout.tell())
print("x")
