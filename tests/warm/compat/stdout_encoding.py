# SPDX-License-Identifier: Apache-2.0
print("\u20ac\U0001f600")
print("\udc80")
