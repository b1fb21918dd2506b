# SPDX-License-Identifier: Apache-2.0
import pickle
class C:
    def __init__(self): self.x = 1
    def __eq__(self, o): return self.x == o.x
def f(): pass
print(pickle.loads(pickle.dumps(C())) == C(), pickle.loads(pickle.dumps(f)) is f, pickle.dumps(C)[:40])
