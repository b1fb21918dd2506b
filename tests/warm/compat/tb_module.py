# SPDX-License-Identifier: Apache-2.0
# file: {"helper_mod.py": "def f():\n    raise LookupError(\"in module\")\n"}
import helper_mod
helper_mod.f()
