# SPDX-License-Identifier: Apache-2.0
import decimal
print(decimal.Decimal(1) / 3, decimal.getcontext())
