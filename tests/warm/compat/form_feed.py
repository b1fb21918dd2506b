# SPDX-License-Identifier: Apache-2.0
# bytes: "print(1)\n\fprint(2)\n"
