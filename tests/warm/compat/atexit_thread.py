# SPDX-License-Identifier: Apache-2.0
# below: [3, 12]
import atexit, threading
def f():
    try:
        t = threading.Thread(target=print, args=("late",))
        t.start(); t.join()
    except RuntimeError as e:
        print("refused")
atexit.register(f)
