# SPDX-License-Identifier: Apache-2.0
# script: "bdir"
# file: {"bdir/readme": "x"}
