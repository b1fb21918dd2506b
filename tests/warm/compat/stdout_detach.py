# SPDX-License-Identifier: Apache-2.0
import sys
b = sys.stdout.detach()
b.write(b"raw\n")
