# SPDX-License-Identifier: Apache-2.0
import os, sys
f = open("o.txt", "w")
f.write("lost")
os._exit(0)
