# SPDX-License-Identifier: Apache-2.0
import atexit, warnings
atexit.register(lambda: warnings.warn("late", stacklevel=2))
