# SPDX-License-Identifier: Apache-2.0
# after: "out.txt"
f = open("out.txt", "w")
f.write("data" * 10)
import atexit, os
atexit.register(lambda: print(os.path.getsize("out.txt")))
