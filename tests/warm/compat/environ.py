# SPDX-License-Identifier: Apache-2.0
import os
print(sorted(os.environ.items()))
print(os.environb == {os.fsencode(k): os.fsencode(v) for k, v in os.environ.items()})
