# SPDX-License-Identifier: Apache-2.0
# file: {"other.py": "v = __name__\nprint(v)\n"}
import runpy
print(sorted(k for k in runpy.run_path("other.py") if k[0] != "_"))
