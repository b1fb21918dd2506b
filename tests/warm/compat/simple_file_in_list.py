# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
l = [open("out.txt", "w")]
l[0].write("held by a list")
