# SPDX-License-Identifier: Apache-2.0
async def f():
    pass
c = f()
