# SPDX-License-Identifier: Apache-2.0
import pickle
pickle.dumps(lambda: 1)
