# SPDX-License-Identifier: Apache-2.0
import warnings
def f():
    warnings.warn("careful", stacklevel=2)
def g():
    warnings.warn("beyond", stacklevel=9)
f()
g()
