# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
def f(x=open("out.txt", "w")):
    x.write("held by a default")
f()
