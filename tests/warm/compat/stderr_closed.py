# SPDX-License-Identifier: Apache-2.0
import sys
sys.stderr.close()
1/0
