# SPDX-License-Identifier: Apache-2.0
import signal, os, time
signal.signal(signal.SIGUSR1, lambda s, f: print("got", s, f.f_code.co_name))
os.kill(os.getpid(), signal.SIGUSR1)
time.sleep(0)
