# SPDX-License-Identifier: Apache-2.0
import traceback
def f():
    traceback.print_stack()
    print(len(traceback.extract_stack()))
f()
