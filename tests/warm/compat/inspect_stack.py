# SPDX-License-Identifier: Apache-2.0
import inspect
def f():
    print([(x.function, x.lineno, x.code_context) for x in inspect.stack()])
f()
