# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
def f(): pass
f.held = open("out.txt", "w")
f.held.write("held by a function")
