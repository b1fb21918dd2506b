# SPDX-License-Identifier: Apache-2.0
import subprocess, sys
subprocess.run(["echo", "from echo"])
subprocess.run("echo shell; exit 3", shell=True)
