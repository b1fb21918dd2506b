# SPDX-License-Identifier: Apache-2.0
if 1:
        x = 1
	y = 2
