# SPDX-License-Identifier: Apache-2.0
import contextvars
v = contextvars.ContextVar("v", default=0)
print(v.get(), list(contextvars.copy_context().items()))
