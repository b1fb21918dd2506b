# SPDX-License-Identifier: Apache-2.0
import sys
del sys.audit, sys.__excepthook__, sys.__unraisablehook__, sys.modules, sys._getframe
raise ValueError("bent")
