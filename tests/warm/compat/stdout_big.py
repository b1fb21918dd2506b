# SPDX-License-Identifier: Apache-2.0
print("y" * 200000)
