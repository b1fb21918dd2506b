# SPDX-License-Identifier: Apache-2.0
# file: {"pack/__init__.py": "z = 1\n", "pack/inner.py": "from . import z\ny = z + 1\n"}
from pack.inner import y
import pack
print(y, pack.__path__[0][-4:])
