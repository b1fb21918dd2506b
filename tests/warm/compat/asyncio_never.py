# SPDX-License-Identifier: Apache-2.0
import asyncio
async def bad():
    raise KeyError("lost")
async def main():
    asyncio.create_task(bad())
    await asyncio.sleep(0.01)
asyncio.run(main())
