# SPDX-License-Identifier: Apache-2.0
import os
print(os.path.expanduser("~"), os.environ.get("USER"))
