# SPDX-License-Identifier: Apache-2.0
# bytes: "print(1)\n\u0000print(2)\n"
