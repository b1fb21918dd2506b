# SPDX-License-Identifier: Apache-2.0
import threading
threading.Timer(0.02, print, ("timer",)).start()
print("end")
