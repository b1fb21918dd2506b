# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
f = open("out.txt", "w")
f.write("held by main")
