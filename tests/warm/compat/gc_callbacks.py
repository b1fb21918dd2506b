# SPDX-License-Identifier: Apache-2.0
import gc
class A:
    pass
a = A(); a.a = a
del a
print(gc.collect() > 0, gc.isenabled(), gc.get_threshold(), gc.garbage)
