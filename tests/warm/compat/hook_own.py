# SPDX-License-Identifier: Apache-2.0
import sys
def hook(t, v, tb):
    print("hook", t.__name__, v, tb.tb_frame.f_code.co_name, sys._getframe(0).f_back)
sys.excepthook = hook
1/0
