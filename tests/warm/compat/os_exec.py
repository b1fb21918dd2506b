# SPDX-License-Identifier: Apache-2.0
import os
os.execvp("echo", ["echo", "execed"])
