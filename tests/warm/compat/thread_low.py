# SPDX-License-Identifier: Apache-2.0
import _thread, time
l = _thread.allocate_lock(); l.acquire()
def f():
    print("low"); l.release()
_thread.start_new_thread(f, ())
l.acquire()
print(_thread._count() <= 2)
