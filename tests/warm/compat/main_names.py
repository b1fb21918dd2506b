# SPDX-License-Identifier: Apache-2.0
print(list(globals()))
print(__name__, __file__, __cached__, __spec__, __package__, __doc__, type(__loader__).__name__)
