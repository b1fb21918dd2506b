# SPDX-License-Identifier: Apache-2.0
def f():
    "doc of f"
help(f)
