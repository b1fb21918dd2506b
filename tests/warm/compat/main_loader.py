# SPDX-License-Identifier: Apache-2.0
print(__loader__.name, __loader__.path, __loader__.get_source("__main__") == open(__file__).read())
