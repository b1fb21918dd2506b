# SPDX-License-Identifier: Apache-2.0
import threading
threading._register_atexit(print, "threading atexit")
print("end")
