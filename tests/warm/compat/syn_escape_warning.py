# SPDX-License-Identifier: Apache-2.0
x = "\d"
print(x)
