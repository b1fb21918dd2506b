# SPDX-License-Identifier: Apache-2.0
# file: {"sub/near.py": "print(\"near\", __file__.endswith(\"sub/near.py\"))\n"}
# link: "sub/real.py"
import sys, os
print(sys.path[0] == os.path.realpath("sub"), __file__.endswith("link.py"))
import near
