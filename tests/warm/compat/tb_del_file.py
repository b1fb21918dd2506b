# SPDX-License-Identifier: Apache-2.0
import os
os.unlink(__file__)
1/0
