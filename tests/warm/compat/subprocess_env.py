# SPDX-License-Identifier: Apache-2.0
import subprocess, os
os.environ["MINE"] = "1"
print(subprocess.check_output("echo $MINE $HOME $LANG", shell=True))
