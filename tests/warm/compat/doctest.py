# SPDX-License-Identifier: Apache-2.0
def f(x):
    """
    >>> f(2)
    5
    """
    return x * 2
import doctest
print(doctest.testmod())
