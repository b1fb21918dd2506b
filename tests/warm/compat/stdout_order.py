# SPDX-License-Identifier: Apache-2.0
import sys, os
print("a")
sys.stderr.write("b\n")
os.write(1, b"c\n")
sys.stdout.buffer.write(b"d\n")
print("e", end="")
