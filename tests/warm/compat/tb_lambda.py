# SPDX-License-Identifier: Apache-2.0
f = lambda: [1][5]
f()
