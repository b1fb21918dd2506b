# SPDX-License-Identifier: Apache-2.0
import threading
threading.excepthook = lambda a: print("th", a.exc_type.__name__, a.thread.name)
t = threading.Thread(target=lambda: {}["x"], name="w")
t.start(); t.join()
