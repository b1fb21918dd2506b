# SPDX-License-Identifier: Apache-2.0
# stdin: "\udcff"
import sys
sys.stdin.read()
