# SPDX-License-Identifier: Apache-2.0
import os, threading
def f():
    pid = os.fork()
    if pid == 0:
        os._exit(4)
    print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
t = threading.Thread(target=f); t.start(); t.join()
