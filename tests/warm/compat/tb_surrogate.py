# SPDX-License-Identifier: Apache-2.0
raise ValueError("\udc80 odd")
