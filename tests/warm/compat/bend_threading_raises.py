# SPDX-License-Identifier: Apache-2.0
import threading
def f():
    raise ValueError("shutdown")
threading._shutdown = f
