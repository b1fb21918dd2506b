# SPDX-License-Identifier: Apache-2.0
import sys
def hook(t, v, tb):
    raise LookupError("in hook")
sys.excepthook = hook
1/0
