# SPDX-License-Identifier: Apache-2.0
# run: "-c"
import multiprocessing as mp, time
mp.set_start_method("fork")
p = mp.Process(target=print, args=("c child",))
p.start(); p.join()
