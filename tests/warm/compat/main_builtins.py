# SPDX-License-Identifier: Apache-2.0
import builtins
print(__builtins__ is builtins, type(__builtins__).__name__)
