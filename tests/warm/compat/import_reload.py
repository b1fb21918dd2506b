# SPDX-License-Identifier: Apache-2.0
# file: {"beside2.py": "print(\"loaded\")\n"}
import importlib, beside2
importlib.reload(beside2)
