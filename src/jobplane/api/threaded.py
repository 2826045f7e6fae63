"""A blocking store for code that awaits: what its event loop would need a second connection for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from jobplane.core.actors import Actor
from jobplane.store.base import Answer, AsyncConn, BlockingStore, Store
from jobplane.store.verbs.verb import Verb

_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="jobplane-store")  # there is one connection to wait for


class InThread:
    """Each verb of a blocking store, in a thread. A verb on the caller's own connection needs none of ours."""

    def __init__(self, blocking: Callable[[], BlockingStore], awaited: Store) -> None:
        self._blocking = blocking
        self._awaited = awaited

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        if conn is not None:
            return await self._awaited.run(verb, conn=conn, actor=actor)
        return await asyncio.get_running_loop().run_in_executor(
            _THREAD, lambda: self._blocking().run(verb, actor=actor)
        )
