# SPDX-License-Identifier: Apache-2.0
import ctypes
print("x")
ctypes.string_at(0)
