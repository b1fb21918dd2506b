# SPDX-License-Identifier: Apache-2.0
# file: {"json.py": "MINE = True\n"}
import json
print(json.MINE)
