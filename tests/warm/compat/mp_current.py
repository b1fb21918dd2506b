# SPDX-License-Identifier: Apache-2.0
import multiprocessing as mp
print(mp.current_process().name, mp.parent_process(), mp.current_process().daemon)
