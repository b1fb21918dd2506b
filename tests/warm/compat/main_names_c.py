# SPDX-License-Identifier: Apache-2.0
# run: "-c"
print(list(globals()))
print(__name__, __spec__, __package__, __doc__, __loader__)
