"""Inline runs of a program with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from jobplane.api.inline import renewals
from jobplane.api.inline.handler_calls import call, call_async
from jobplane.api.inline.inline import Inline
from jobplane.api.inline.renewing import keep_lease_async, write
from jobplane.api.inline.run import Run
from jobplane.core.leases import Ending, Lease
from jobplane.execution.handler import Handler
from jobplane.store.base import Store

if TYPE_CHECKING:
    from jobplane.api.plane import Plane


class AsyncInline(Inline):
    """Runs `async def` handlers in this task, and others in a thread, so that the loop stays free."""

    def __init__(self, plane: Plane, store: Store, queues: Sequence[str]) -> None:
        super().__init__(plane, store, queues, asyncio.sleep)

    async def __aenter__(self) -> Self:
        await self._plane.hooks.start()
        await self._register()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._plane.hooks.stop()
        await self._deregister()

    async def round(self, limit: int | None = None) -> int:
        """Upkeep, then due jobs; how many jobs ran."""
        return await self._round(limit)

    async def drain(self) -> int:
        """Rounds until nothing is due; how many jobs ran."""
        return await self._drain()

    def _renews(self, handler: Handler, lease: Lease) -> renewals.Renews:
        if handler.is_async:
            return renewals.make_async(self._store, lease, asyncio.get_running_loop())
        return renewals.make_on_loop(self._store, lease, asyncio.get_running_loop())

    async def _call(self, run: Run) -> Ending:
        async with keep_lease_async(self._store, run.attempt):
            try:
                return await (call_async(run) if run.handler.is_async else self._in_thread(run))
            finally:
                await run.attempt.finish()

    async def _release(self, lease: Lease) -> None:
        await asyncio.shield(super()._release(lease))

    async def _in_thread(self, run: Run) -> Ending:
        """A thread cannot be stopped: who cancels this waits for its end, and what it has done counts."""
        thread = asyncio.create_task(asyncio.to_thread(call, run))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            ending = await thread
            await write(self._store, run.attempt, run.attempt.book.close())
            await self._settle(run.attempt.lease, run.attempt.job, ending)
            raise
