# SPDX-License-Identifier: Apache-2.0
import code
code.InteractiveConsole().runsource("1/0")
print(compile("1", "x", "eval").co_filename)
