# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp
def sq(x):
    return x * x
if __name__ == "__main__":
    with mp.Pool(2) as p:
        print(p.map(sq, range(6)))
