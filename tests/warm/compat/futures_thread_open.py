# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor
e = ThreadPoolExecutor(2)
f = e.submit(print, "submitted")
