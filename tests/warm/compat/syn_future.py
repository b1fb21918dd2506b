# SPDX-License-Identifier: Apache-2.0
x = 1
from __future__ import annotations
