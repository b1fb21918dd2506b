# SPDX-License-Identifier: Apache-2.0
# file: {"warn_mod.py": "import warnings\nwarnings.warn(\"not main\", DeprecationWarning)\n"}
import warnings
warnings.warn("old", DeprecationWarning)
import warn_mod
