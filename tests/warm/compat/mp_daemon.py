# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp, time
if __name__ == "__main__":
    mp.set_start_method("fork")
    p = mp.Process(target=time.sleep, args=(60,), daemon=True)
    p.start()
    print("end")
