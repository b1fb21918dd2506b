# SPDX-License-Identifier: Apache-2.0
import threading, time
def f():
    n = 0
    while True:
        n += 1
for i in range(3):
    threading.Thread(target=f, daemon=True).start()
time.sleep(0.02)
print("main done")
