# SPDX-License-Identifier: Apache-2.0
import sys
print(sys.getswitchinterval(), sys.getallocatedblocks() > 0)
