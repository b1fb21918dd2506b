# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp
class P:
    def __init__(self, x): self.x = x
def f(q, p):
    q.put((p.x + 1, __name__))
if __name__ == "__main__":
    mp.set_start_method("forkserver")
    q = mp.Queue()
    p = mp.Process(target=f, args=(q, P(4)))
    p.start()
    print(q.get()[0])
    p.join()
    print(p.exitcode, p.name)
