# SPDX-License-Identifier: Apache-2.0
print(1)
x = = 2
