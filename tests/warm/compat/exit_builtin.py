# SPDX-License-Identifier: Apache-2.0
exit(4)
