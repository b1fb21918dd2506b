# SPDX-License-Identifier: Apache-2.0
import os
print(os.path.realpath(os.getcwd()) == os.path.dirname(os.path.realpath(__file__)), os.listdir("."))
