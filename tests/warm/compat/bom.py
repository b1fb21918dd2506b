# SPDX-License-Identifier: Apache-2.0
# bytes: "\u00ef\u00bb\u00bfprint(\"bom\", len(\"\u00c3\u00a4\"))\nraise ValueError(\"\u00c3\u00a4\")\n"
