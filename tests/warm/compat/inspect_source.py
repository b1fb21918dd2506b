# SPDX-License-Identifier: Apache-2.0
import inspect
def f(a, b=2):
    # a comment
    return a + b
class C:
    def g(self):
        return 1
print(inspect.getsource(f)); print(inspect.getsource(C)); print(inspect.getsourcefile(f) == __file__, inspect.getmodule(f))
