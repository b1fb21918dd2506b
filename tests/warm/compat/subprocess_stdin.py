# SPDX-License-Identifier: Apache-2.0
# stdin: "through\n"
import subprocess
subprocess.run(["cat"])
