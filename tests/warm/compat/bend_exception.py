# SPDX-License-Identifier: Apache-2.0
class E(Exception):
    def __getattribute__(self, n):
        if n in ("__traceback__", "__dict__", "code"): raise RuntimeError(n)
        return super().__getattribute__(n)
raise E("x")
