# SPDX-License-Identifier: Apache-2.0
import sys, threading
print({k == threading.main_thread().ident: f.f_code.co_name for k, f in sys._current_frames().items()})
