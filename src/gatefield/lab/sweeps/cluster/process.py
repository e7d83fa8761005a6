"""A scheduler or a worker as a process of its own, which ends when the driver does.

    python -P process.py scheduler
    python -P process.py worker ADDRESS NAME [CORES]

It is started by its path, not as a module, so that a scheduler does not load JAX. Standard input is a pipe that the driver
holds: when the driver ends, however it ends, the pipe does too.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import threading
from typing import Any

PATIENCE = 20.0
"""Seconds in which a worker that is asked to go must have committed; a commit comes about every two."""


async def asked_to_end(server: Any) -> None:
    """Wait for the end of the driver, for SIGTERM, or until the server ends by itself."""
    loop, asked = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)

    def listen() -> None:
        sys.stdin.buffer.read()
        with contextlib.suppress(RuntimeError):  # the loop has ended before the driver
            loop.call_soon_threadsafe(asked.set)

    threading.Thread(target=listen, daemon=True).start()
    tasks = [asyncio.create_task(asked.wait()), asyncio.create_task(server.finished())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


async def scheduler() -> None:
    """A scheduler that only this host can reach; its address is the one line on standard output."""
    from distributed import Scheduler

    server = await Scheduler(host="127.0.0.1", port=0, dashboard=False)
    print(server.address, flush=True)  # noqa: T201
    await asked_to_end(server)


async def worker(address: str, name: str) -> None:
    """A worker with one thread: the block that it computes stops at its next commit when the worker is asked to go."""
    from distributed import Worker

    with tempfile.TemporaryDirectory(prefix="gatefield-worker-", ignore_cleanup_errors=True) as folder:
        settings = {"nthreads": 1, "memory_limit": 0, "dashboard": False, "local_directory": folder, "death_timeout": 30}
        server = await Worker(address, name=name, **settings)
        await asked_to_end(server)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(server.close(timeout=PATIENCE, reason="asked to go"), 1.5 * PATIENCE)


def keep_to(cores: str) -> None:
    """Keep to some cores, such as 0,1: XLA starts as many threads as a process may use cores."""
    chosen = {int(core) for core in cores.split(",")}
    os.environ["NPROC"] = str(len(chosen))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, chosen)


def main(role: str, address: str = "", name: str = "", cores: str = "") -> None:
    """Serve until asked to end; then end at once, whatever threads are still at work."""
    if cores:
        keep_to(cores)
    asyncio.run(worker(address, name) if role == "worker" else scheduler())
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
