# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp
if __name__ == "__main__":
    with mp.Manager() as m:
        d = m.dict()
        d["a"] = 1
        print(dict(d))
