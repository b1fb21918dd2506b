# SPDX-License-Identifier: Apache-2.0
import threading, time, sys
threading.Thread(target=time.sleep, args=(50,), daemon=True).start()
sys.exit(7)
