# SPDX-License-Identifier: Apache-2.0
import io, sys
sys.stdout = io.StringIO()
print("lost")
sys.stderr.write(repr(sys.stdout.getvalue()))
