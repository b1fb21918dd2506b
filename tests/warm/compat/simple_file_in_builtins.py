# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
import builtins
builtins.held = open("out.txt", "w")
held.write("held by builtins")
