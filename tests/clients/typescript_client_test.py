#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""typescript_client_test.py BELLJAR PACKAGES [NAME] - client_test.ts against a real service."""
import os
import sys

from clienting import KEY, ClientService
from compiling import compile_typescript, node
import subprocess

CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "client_test.ts")

with compile_typescript(sys.argv[2], CLIENT) as folder, ClientService(sys.argv[1]) as service:
    done = subprocess.run([node(), os.path.join(folder, "client_test.js")] + sys.argv[3:],
                          env={"BELLJAR_URL": service.url, "KEY": KEY, "PATH": "/usr/bin:/bin"})
sys.exit(done.returncode)
