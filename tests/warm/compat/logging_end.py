# SPDX-License-Identifier: Apache-2.0
import logging
class H(logging.Handler):
    def emit(self, r): pass
    def close(self):
        print("closed")
        super().close()
logging.getLogger().addHandler(H())
