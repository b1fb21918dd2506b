# SPDX-License-Identifier: Apache-2.0
# run: "-c"
import sys; sys.exit(7)
