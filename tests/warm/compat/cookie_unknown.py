# SPDX-License-Identifier: Apache-2.0
# bytes: "# coding: no-such-code\nprint(1)\n"
