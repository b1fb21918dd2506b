# SPDX-License-Identifier: Apache-2.0
# file: {"exit_mod.py": "import sys\nsys.exit(9)\n"}
import exit_mod
