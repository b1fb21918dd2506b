# SPDX-License-Identifier: Apache-2.0
# env: {"MY_VAR": "\u00e4 b", "HOME": "/tmp"}
import os, posix, subprocess
print(os.environ["MY_VAR"], posix.environ[b"MY_VAR"], os.getenv("HOME"))
print(subprocess.check_output(["sh", "-c", "echo $MY_VAR"]))
print([k for k in os.environ if "ZYGOTE" in k])
