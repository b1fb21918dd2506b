# SPDX-License-Identifier: Apache-2.0
import shelve
s = shelve.open("sh")
s["a"] = 1
