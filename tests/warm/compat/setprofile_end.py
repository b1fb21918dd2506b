# SPDX-License-Identifier: Apache-2.0
import sys
sys.setprofile(lambda f, e, a: None)
print("profiled")
