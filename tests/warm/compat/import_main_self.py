# SPDX-License-Identifier: Apache-2.0
import main
print(__name__)
