# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
class K:
    def __init__(self):
        self.f = open("out.txt", "w")
        self.f.write("data")
        self.me = self
k = K()
1/0
