# SPDX-License-Identifier: Apache-2.0
import threading
l = threading.Lock(); n = 0
def f():
    global n
    for _ in range(1000):
        with l:
            n += 1
ts = [threading.Thread(target=f) for _ in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print(n)
