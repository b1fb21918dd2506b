# SPDX-License-Identifier: Apache-2.0
# run: "-c"
for i in range(3):
    print(i)
