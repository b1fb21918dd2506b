# SPDX-License-Identifier: Apache-2.0
def größe():
    raise ValueError("äöü \u20ac \U0001f600")
größe()
