# SPDX-License-Identifier: Apache-2.0
import sys
print(sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.version)
