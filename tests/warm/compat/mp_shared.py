# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp
def f(v):
    with v.get_lock():
        v.value += 1
if __name__ == "__main__":
    v = mp.Value("i", 0)
    ps = [mp.Process(target=f, args=(v,)) for _ in range(3)]
    [p.start() for p in ps]; [p.join() for p in ps]
    print(v.value)
