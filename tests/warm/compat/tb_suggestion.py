# SPDX-License-Identifier: Apache-2.0
foobar = 1
print(fobar)
