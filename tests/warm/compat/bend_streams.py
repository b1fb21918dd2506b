# SPDX-License-Identifier: Apache-2.0
import sys
del sys.stdout, sys.__stdout__
sys.stderr.write("e\n")
