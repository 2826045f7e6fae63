"""The threads of a store on an event loop: some for each use, so that no call waits behind those of another use."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

from jobplane.core.errors import StoreBusy

Answer = TypeVar("Answer")
Use = Literal["write", "read", "lent"]
_EACH = 8


class Threads:
    """Started at first use, and again after a close or in the child of a fork."""

    def __init__(self, busy_seconds: float) -> None:
        self._busy_seconds = busy_seconds
        self._pools: dict[Use, ThreadPoolExecutor] = {}
        self._pid = os.getpid()

    def run(self, use: Use, call: Callable[[], Answer]) -> asyncio.Future[Answer]:
        """The call in a thread; refused where none was free for as long as it may wait for the file."""
        until = time.monotonic() + self._busy_seconds

        def timely() -> Answer:
            if time.monotonic() > until:
                raise StoreBusy("Too many calls waited before this one. Try again.")
            return call()

        return asyncio.get_running_loop().run_in_executor(self._pool(use), timely)

    def _pool(self, use: Use) -> ThreadPoolExecutor:
        if self._pid != os.getpid():  # threads do not come along in a fork
            self._pools, self._pid = {}, os.getpid()
        if use not in self._pools:
            self._pools[use] = ThreadPoolExecutor(_EACH, thread_name_prefix=f"jobplane-sqlite-{use}")
        return self._pools[use]

    async def close(self, last: Callable[[], None]) -> None:
        """When every call is done, one last."""
        await asyncio.to_thread(self.end, last)

    def end(self, last: Callable[[], None]) -> None:
        """The same without an event loop."""
        pools, self._pools = list(self._pools.values()), {}
        if self._pid == os.getpid():
            for pool in pools:
                pool.shutdown()
        last()
