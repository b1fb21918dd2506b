# SPDX-License-Identifier: Apache-2.0
import sys
seen = []
sys.addaudithook(lambda e, a: seen.append(e) if e == "sys.excepthook" else None)
import atexit
atexit.register(lambda: print(seen))
raise ValueError("v")
