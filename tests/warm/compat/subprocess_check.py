# SPDX-License-Identifier: Apache-2.0
import subprocess
subprocess.run(["false"], check=True)
