# SPDX-License-Identifier: Apache-2.0
import signal, threading
def f():
    try:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    except ValueError as e:
        print(e)
t = threading.Thread(target=f); t.start(); t.join()
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
print("ok")
