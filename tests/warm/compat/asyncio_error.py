# SPDX-License-Identifier: Apache-2.0
import asyncio
async def main():
    raise ValueError("in task")
asyncio.run(main())
