# SPDX-License-Identifier: Apache-2.0
import sys
print([m for m in sys.modules if "belljar" in m or "zygote" in m or "driver" in m.lower()])
print(sys.modules["__main__"].__dict__ is globals())
