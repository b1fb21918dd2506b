# SPDX-License-Identifier: Apache-2.0
import cProfile, pstats, io
p = cProfile.Profile()
p.enable(); sum(range(10)); p.disable()
s = io.StringIO()
pstats.Stats(p, stream=s).print_stats()
print("function calls" in s.getvalue())
