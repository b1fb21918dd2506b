# SPDX-License-Identifier: Apache-2.0
# nonl: true
x = 1
if x:
    y = (