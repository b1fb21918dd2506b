# SPDX-License-Identifier: Apache-2.0
import timeit
print(timeit.timeit("1+1", number=10) >= 0)
