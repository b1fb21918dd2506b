# SPDX-License-Identifier: Apache-2.0
import traceback
try:
    1/0
except ZeroDivisionError:
    print(traceback.format_exc())
    traceback.print_exc()
