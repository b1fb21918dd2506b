# SPDX-License-Identifier: Apache-2.0
# script: "prog"
# file: {"prog": "import sys\nprint(sys.argv, __file__[-4:])\n1/0\n"}
