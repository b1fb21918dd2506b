# SPDX-License-Identifier: Apache-2.0
"""I am the doc"""
print(__doc__)
