# SPDX-License-Identifier: Apache-2.0
x = "abc
y = 1
