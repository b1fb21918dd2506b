# SPDX-License-Identifier: Apache-2.0
# stdin: "q\nr\n"
import fileinput
for l in fileinput.input():
    print(l.strip())
