# SPDX-License-Identifier: Apache-2.0
import threading, time
def f():
    time.sleep(0.05)
    print("thread done")
threading.Thread(target=f).start()
print("main done")
