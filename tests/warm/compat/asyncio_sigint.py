# SPDX-License-Identifier: Apache-2.0
import asyncio, os, signal
async def main():
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(5)
asyncio.run(main())
