# SPDX-License-Identifier: Apache-2.0
try:
    import numpy
except ImportError:
    print("no numpy")
else:
    numpy.random.seed(3)
    print(numpy.random.rand())
