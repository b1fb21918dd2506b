# SPDX-License-Identifier: Apache-2.0
# stdin: "left\n"
print("not read")
