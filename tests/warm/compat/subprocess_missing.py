# SPDX-License-Identifier: Apache-2.0
import subprocess
subprocess.run(["/no/such/program"])
