# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ProcessPoolExecutor
def sq(x):
    return x * x
if __name__ == "__main__":
    with ProcessPoolExecutor(2) as e:
        print(list(e.map(sq, range(5))))
