# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as e:
    print(list(e.map(lambda x: x * x, range(10))))
