# SPDX-License-Identifier: Apache-2.0
import sys
seen = []
sys.addaudithook(lambda e, a: seen.append(e) if e.startswith("sys.") else None)
import atexit
atexit.register(lambda: print(seen))
raise ValueError("v")
