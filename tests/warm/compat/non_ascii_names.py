# SPDX-License-Identifier: Apache-2.0
größe = 3
print(größe, [k for k in globals() if k.startswith("gr")])
