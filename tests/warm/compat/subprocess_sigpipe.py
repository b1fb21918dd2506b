# SPDX-License-Identifier: Apache-2.0
import subprocess
print(subprocess.run("yes | head -1", shell=True, capture_output=True, text=True))
