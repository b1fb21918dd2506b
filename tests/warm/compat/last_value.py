# SPDX-License-Identifier: Apache-2.0
import atexit, sys
atexit.register(lambda: print(sys.last_type, repr(sys.last_value), sys.last_traceback is not None))
[][1]
