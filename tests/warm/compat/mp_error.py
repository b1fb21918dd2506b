# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp
def f():
    raise ValueError("child")
if __name__ == "__main__":
    mp.set_start_method("fork")
    p = mp.Process(target=f)
    p.start(); p.join()
    print(p.exitcode)
