# SPDX-License-Identifier: Apache-2.0
# script: "-"
# stdin: "print(\"from stdin\")\n"
