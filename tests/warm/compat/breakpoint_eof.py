# SPDX-License-Identifier: Apache-2.0
# stdin: ""
breakpoint()
print("x")
