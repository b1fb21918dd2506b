# SPDX-License-Identifier: Apache-2.0
# file: {"beside3.py": ""}
import os, beside3
print(os.path.exists("__pycache__"))
