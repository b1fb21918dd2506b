# SPDX-License-Identifier: Apache-2.0
import warnings
warnings.simplefilter("error")
warnings.warn("boom")
