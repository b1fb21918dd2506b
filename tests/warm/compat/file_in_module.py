# SPDX-License-Identifier: Apache-2.0
# file: {"opener.py": "f = open(\"out.txt\", \"w\")\n"}
# after: "out.txt"
import opener
opener.f.write("from main")
