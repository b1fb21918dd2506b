# SPDX-License-Identifier: Apache-2.0
import sys, traceback
sys.excepthook = lambda *a: traceback.print_stack()
1/0
