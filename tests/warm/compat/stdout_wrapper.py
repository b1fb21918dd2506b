# SPDX-License-Identifier: Apache-2.0
import sys, io
sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-16")
print("w")
