# SPDX-License-Identifier: Apache-2.0
# run: "-c"
# coding: latin-1
print("ä", len("ä"))
