# SPDX-License-Identifier: Apache-2.0
import ctypes
libc = ctypes.CDLL(None)
libc.printf(b"from C %d\n", 5)
