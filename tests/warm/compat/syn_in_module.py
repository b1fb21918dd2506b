# SPDX-License-Identifier: Apache-2.0
# file: {"broken_mod.py": "def f(:\n"}
import broken_mod
