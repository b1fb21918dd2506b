# SPDX-License-Identifier: Apache-2.0
class K(KeyboardInterrupt):
    pass
raise K("k")
