# SPDX-License-Identifier: Apache-2.0
import subprocess, sys
r = subprocess.run([sys.executable, "-c", "import sys; print(sys.stdin.read().upper()); sys.exit(2)"], input="abc", text=True, capture_output=True)
print(r.returncode, r.stdout, r.stderr)
