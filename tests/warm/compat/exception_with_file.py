# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
class E(Exception):
    pass
e = E("held")
e.f = open("out.txt", "w")
e.f.write("held by exception")
raise e
