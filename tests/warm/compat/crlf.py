# SPDX-License-Identifier: Apache-2.0
# bytes: "print(1)\r\nif True:\r\n    print(\"\"\"a\r\nb\"\"\".encode())\r\n"
