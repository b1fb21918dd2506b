# SPDX-License-Identifier: Apache-2.0
# script: "adir"
# file: {"adir/__main__.py": "import sys\nprint(__name__, sys.path[0][-4:], sys.argv[0][-4:])\n"}
