# SPDX-License-Identifier: Apache-2.0
import no_such_module_here
