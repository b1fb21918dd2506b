# SPDX-License-Identifier: Apache-2.0
import sys
sys.modules = {}
import json
print("x")
