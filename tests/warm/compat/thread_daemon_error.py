# SPDX-License-Identifier: Apache-2.0
import threading, time
threading.Thread(target=time.sleep, args=(50,), daemon=True).start()
1/0
