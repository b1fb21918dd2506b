# SPDX-License-Identifier: Apache-2.0
exec("def f():\n    return 1/0\nf()")
