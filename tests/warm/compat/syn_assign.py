# SPDX-License-Identifier: Apache-2.0
5 = x
