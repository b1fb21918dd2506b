# SPDX-License-Identifier: Apache-2.0
# stdin: "p x\nw\nc\n"
import pdb
x = 1
pdb.set_trace()
print("after")
