"""A blocking store for code that awaits: what its event loop would need a second connection for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, cast

from jobplane.store.base import BlockingStore, Store

_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="jobplane-store")  # there is one connection to wait for


class InThread:
    """Each verb of a blocking store, in a thread; what has a connection of the caller's needs none of ours."""

    def __init__(self, blocking: Callable[[], BlockingStore], awaited: Store) -> None:
        self._blocking = blocking
        self._awaited = awaited

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        async def call(*args: object, conn: object = None, **kwargs: object) -> object:
            if conn is not None:
                return await cast("Callable[..., Awaitable[object]]", getattr(self._awaited, name))(
                    *args, conn=conn, **kwargs
                )
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(_THREAD, partial(self._run, name, *args, **kwargs))

        return call

    def _run(self, name: str, *args: object, **kwargs: object) -> object:
        return getattr(self._blocking(), name)(*args, **kwargs)
