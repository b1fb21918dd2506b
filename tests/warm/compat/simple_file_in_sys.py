# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import sys
sys.held = open("out.txt", "w")
sys.held.write("held by sys")
