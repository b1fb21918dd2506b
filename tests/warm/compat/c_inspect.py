# SPDX-License-Identifier: Apache-2.0
# run: "-c"
import inspect
def f(): pass
try:
    print(inspect.getsource(f))
except OSError as e:
    print(e)
