# SPDX-License-Identifier: Apache-2.0
import sys
print(sys.flags.hash_randomization, hash(1), hash(1.5))
