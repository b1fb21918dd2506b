# SPDX-License-Identifier: Apache-2.0
# bytes: "print(1)\nx = \"\u00ff\"\n"
