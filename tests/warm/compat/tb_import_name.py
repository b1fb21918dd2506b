# SPDX-License-Identifier: Apache-2.0
from math import no_such
