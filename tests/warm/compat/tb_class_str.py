# SPDX-License-Identifier: Apache-2.0
class E(Exception):
    def __str__(self):
        raise ValueError("no str")
raise E()
