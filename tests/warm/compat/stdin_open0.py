# SPDX-License-Identifier: Apache-2.0
# stdin: "zero"
print(open(0).read())
