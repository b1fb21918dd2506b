# SPDX-License-Identifier: Apache-2.0
import asyncio
async def main():
    p = await asyncio.create_subprocess_exec("echo", "sub", stdout=asyncio.subprocess.PIPE)
    print(await p.communicate(), p.returncode)
asyncio.run(main())
