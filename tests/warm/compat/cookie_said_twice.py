# SPDX-License-Identifier: Apache-2.0
# bytes: "# coding: latin-1 and not utf-8\nprint(\"\u00e4\", len(\"\u00e4\"))\n"
