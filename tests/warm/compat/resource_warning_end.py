# SPDX-License-Identifier: Apache-2.0
import warnings
warnings.simplefilter("always")
f = open(__file__)
