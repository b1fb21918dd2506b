# SPDX-License-Identifier: Apache-2.0
import builtins
class L:
    def __call__(self, *a): print("my len"); return 5
builtins.len = L()
builtins.type = None
print("x")
