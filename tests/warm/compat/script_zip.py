# SPDX-License-Identifier: Apache-2.0
# script: "z.pyz"
# zip: {"__main__.py": "import sys\nprint(\"zip\", __name__)\n"}
import sys
