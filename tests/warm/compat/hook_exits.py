# SPDX-License-Identifier: Apache-2.0
import sys
def hook(t, v, tb):
    sys.exit(8)
sys.excepthook = hook
1/0
