# SPDX-License-Identifier: Apache-2.0
import threading, time
def f():
    while True:
        time.sleep(0.001)
threading.Thread(target=f, daemon=True).start()
time.sleep(0.02)
print("main done")
