# SPDX-License-Identifier: Apache-2.0
import tempfile, os
print(tempfile.gettempdir())
with tempfile.NamedTemporaryFile() as f:
    print(os.path.dirname(f.name))
