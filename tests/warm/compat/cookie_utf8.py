# SPDX-License-Identifier: Apache-2.0
# bytes: "# -*- coding: utf-8 -*-\nprint(\"\u00c3\u00a4\", len(\"\u00c3\u00a4\"))\n"
print("ä", len("ä"))
