# SPDX-License-Identifier: Apache-2.0
# file: {"cyc_a.py": "import cyc_b\nx = 1\n", "cyc_b.py": "from cyc_a import x\n"}
import cyc_a
