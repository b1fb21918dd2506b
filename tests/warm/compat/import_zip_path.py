# SPDX-License-Identifier: Apache-2.0
import sys, zipfile
z = zipfile.ZipFile("z.zip", "w")
z.writestr("inzip.py", "print(__name__)")
z.close()
sys.path.insert(0, "z.zip")
import inzip
