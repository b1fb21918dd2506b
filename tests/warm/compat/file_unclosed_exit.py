# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import sys
def f():
    g = open("out.txt", "w")
    g.write("data")
    sys.exit(1)
f()
