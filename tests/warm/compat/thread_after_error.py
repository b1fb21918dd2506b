# SPDX-License-Identifier: Apache-2.0
import threading, time
def f():
    time.sleep(0.05)
    print("still runs")
threading.Thread(target=f).start()
raise ValueError("main")
