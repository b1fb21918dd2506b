# SPDX-License-Identifier: Apache-2.0
import os
r, w = os.pipe()
os.close(r)
try:
    os.write(w, b"x")
except BrokenPipeError as e:
    print(e)
