# SPDX-License-Identifier: Apache-2.0
import atexit
def f():
    import colorsys
    print(colorsys.rgb_to_hsv(1, 0, 0))
atexit.register(f)
