# SPDX-License-Identifier: Apache-2.0
# file: {"err_mod.py": "def f():\n    return 1/0\nf()\n"}
import err_mod
