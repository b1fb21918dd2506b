# SPDX-License-Identifier: Apache-2.0
import tracemalloc
tracemalloc.start()
x = [0] * 1000
print(tracemalloc.get_traced_memory()[0] > 0)
