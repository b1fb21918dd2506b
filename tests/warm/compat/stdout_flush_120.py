# SPDX-License-Identifier: Apache-2.0
import sys, os
sys.stdout = open(1, "w", closefd=False)
sys.__stdout__ = sys.stdout
print("x")
os.close(1)
