# SPDX-License-Identifier: Apache-2.0
x: int = 3
y: "str"
print(__annotations__)
