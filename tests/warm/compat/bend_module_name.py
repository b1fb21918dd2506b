# SPDX-License-Identifier: Apache-2.0
import json
del json.__name__
import re
re.__name__ = []
print("x")
