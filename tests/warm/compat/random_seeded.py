# SPDX-License-Identifier: Apache-2.0
import random
random.seed(5)
print(random.random(), random.sample(range(100), 5))
