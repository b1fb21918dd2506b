# SPDX-License-Identifier: Apache-2.0
import warnings
def f():
    warnings.warn("careful")
f()
