# SPDX-License-Identifier: Apache-2.0
import threading
m = threading.main_thread()
print(type(m).__name__, m is threading.current_thread(), m.name, m.daemon, m.ident == threading.get_ident(), threading.active_count(), threading.enumerate() == [m])
import os
print(m.native_id == os.getpid() == threading.get_native_id())
