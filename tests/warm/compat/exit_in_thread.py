# SPDX-License-Identifier: Apache-2.0
import sys, threading
t = threading.Thread(target=sys.exit, args=(3,))
t.start(); t.join()
print("still")
