# SPDX-License-Identifier: Apache-2.0
x = 5
if x is 5:
    print("is")
