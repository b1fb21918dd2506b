# SPDX-License-Identifier: Apache-2.0
x = "a" * (1 << 62)
