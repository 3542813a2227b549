# SPDX-License-Identifier: BSD-2-Clause
"""asyncio: tasks, timers, subprocesses, a Unix-domain server, signals."""

import asyncio, os, signal


async def count(name, delay):
    for number in range(3):
        await asyncio.sleep(delay)
    return name, number


async def echo(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def main():
    print(await asyncio.gather(count("a", 0.01), count("b", 0.02)))
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.05)
    except asyncio.TimeoutError:
        print("too late")
    process = await asyncio.create_subprocess_exec("/usr/bin/tr", "a", "b", stdin=-1, stdout=-1)
    print(await process.communicate(b"banana"), process.returncode)
    server = await asyncio.start_unix_server(echo, "echo")
    reader, writer = await asyncio.open_unix_connection("echo")
    writer.write(b"line\n")
    print(await reader.readline(), await reader.read())
    writer.close()
    server.close()
    got = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, got.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    print(await asyncio.wait_for(got.wait(), 100))
    print(await asyncio.to_thread(sum, [1, 2, 3]))


asyncio.run(main())
