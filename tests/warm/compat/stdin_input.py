# SPDX-License-Identifier: Apache-2.0
# stdin: "ann\nbob\n"
a = input("name? ")
b = input()
print(a, b)
