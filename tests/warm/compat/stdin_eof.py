# SPDX-License-Identifier: Apache-2.0
# stdin: ""
input("x")
