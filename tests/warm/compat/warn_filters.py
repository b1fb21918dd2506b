# SPDX-License-Identifier: Apache-2.0
import warnings
print(len(warnings.filters), warnings.filters[0])
