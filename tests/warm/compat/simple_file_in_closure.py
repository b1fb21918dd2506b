# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
def make():
    h = open("out.txt", "w")
    def f(): h.write("held by a closure")
    return f
make_it = make()
make_it()
