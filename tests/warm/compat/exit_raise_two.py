# SPDX-License-Identifier: Apache-2.0
raise SystemExit(2, 3)
