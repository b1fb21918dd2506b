# SPDX-License-Identifier: Apache-2.0
import sys
print([getattr(m, "__name__", type(m).__name__) for m in sys.meta_path if "Distutils" not in repr(m)], len(sys.path_hooks))
