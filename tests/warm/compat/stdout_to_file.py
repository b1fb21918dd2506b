# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import sys
sys.stdout = open("out.txt", "w")
print("in file")
