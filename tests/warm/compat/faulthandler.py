# SPDX-License-Identifier: Apache-2.0
import faulthandler, sys
faulthandler.dump_traceback(file=sys.stderr)
