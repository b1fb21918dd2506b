# SPDX-License-Identifier: Apache-2.0
# below: [3, 12]
class E(SystemExit):
    @property
    def code(self): raise RuntimeError("code")
raise E(4)
