# SPDX-License-Identifier: Apache-2.0
# bytes: "print(1)\rprint(2)\r"
