# SPDX-License-Identifier: Apache-2.0
import sys
print(type(sys.path), type(sys.argv), sys.path_importer_cache is not None)
print([p for p in sys.path_importer_cache if "work" in p or "zygote" in p][:0])
