# SPDX-License-Identifier: Apache-2.0
x = f"{1 +}"
