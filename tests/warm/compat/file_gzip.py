# SPDX-License-Identifier: Apache-2.0
import gzip
f = gzip.open("out.gz", "wt")
f.write("zz")
print("end")
