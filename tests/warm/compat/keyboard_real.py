# SPDX-License-Identifier: Apache-2.0
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(5)
