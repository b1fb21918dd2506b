# SPDX-License-Identifier: Apache-2.0
import threading
def f():
    1/0
t = threading.Thread(target=f, name="worker")
t.start(); t.join()
print("on")
