"""The same for a program with an event loop: `def` handlers run in a thread, so that the loop stays free."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Self

from jobplane.api.inline.calls import call, call_async
from jobplane.api.inline.inline import BUSY_SECONDS, BUSY_TRIES, LOOKS, warn_unless_accepted, worker_of
from jobplane.api.inline.lines import LEASE_SECONDS, AsyncLine, LoopLine
from jobplane.api.inline.renewing import kept_async, write_async
from jobplane.api.inline.run import Run, prepare
from jobplane.control.upkeep import Upkeep
from jobplane.core.errors import Invalid
from jobplane.core.model import Lease, Settlement
from jobplane.execution import endings
from jobplane.execution.capture import capturing
from jobplane.execution.handler import Handler
from jobplane.store.base import Store
from jobplane.store.verbs.engine import Claim, DeregisterWorker, RegisterWorker, Release, Settle

if TYPE_CHECKING:
    from jobplane.api.plane import Plane


class AsyncInline:
    """A worker of this task."""

    def __init__(self, plane: Plane, store: Store, queues: Sequence[str]) -> None:
        self._plane = plane
        self._store = store
        self._upkeep = Upkeep(store)
        self._worker = worker_of(plane, queues)

    async def __aenter__(self) -> Self:
        await self._plane.hooks.start()
        await self._store.run(RegisterWorker(self._worker))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._plane.hooks.stop()
        await self._store.run(DeregisterWorker(self._worker.worker_id))

    async def round(self, limit: int | None = None) -> int:
        """Upkeep, then what is due; how many jobs ran."""
        await self._upkeep.all()
        ran = 0
        with capturing():
            async for lease in self._leases(limit):
                await self._settle(await self._run(lease))
                ran += 1
        return ran

    async def _leases(self, limit: int | None) -> AsyncIterator[Lease]:
        left = math.inf if limit is None else limit
        for queue in self._worker.queues:
            while left > 0 and (lease := await self._claim(queue)):
                left -= 1
                yield lease

    async def _claim(self, queue: str) -> Lease | None:
        for limit in LOOKS:
            claimed = await self._store.run(
                Claim(queue, self._worker.worker_id, limit=limit, lease_seconds=LEASE_SECONDS)
            )
            if surplus := claimed.leases[1:]:
                await self._store.run(Release(surplus, reason="unstarted"))
            if claimed.leases or not claimed.more:
                return claimed.leases[0] if claimed.leases else None
        return None

    async def _run(self, lease: Lease) -> Settlement:
        handler = self._plane.handler(lease.definition_key)
        worker, artifacts = self._worker.worker_id, self._plane.artifacts
        try:
            run = prepare(handler, lease, self._line(handler, lease), worker=worker, artifacts=artifacts)
        except Exception as error:  # noqa: BLE001 a type's own validator may raise anything
            return endings.unfit(error).settles(lease)
        try:
            async with kept_async(self._store, lease, run.desk):
                return await (call_async(run) if handler.is_async else self._in_thread(run))
        except (asyncio.CancelledError, KeyboardInterrupt):
            await asyncio.shield(self._store.run(Release([lease])))
            raise

    def _line(self, handler: Handler, lease: Lease) -> AsyncLine | LoopLine:
        if handler.is_async:
            return AsyncLine(self._store, lease)
        return LoopLine(self._store, lease, asyncio.get_running_loop())

    async def _in_thread(self, run: Run) -> Settlement:
        """A thread cannot be stopped: who cancels this waits for its end, and what it has done counts."""
        thread = asyncio.create_task(asyncio.to_thread(call, run))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            settlement = await thread
            await write_async(self._store, run.lease, run.desk.book.closed())
            await self._settle(settlement)
            raise

    async def _settle(self, settlement: Settlement) -> None:
        for _ in range(BUSY_TRIES):
            try:
                [answer] = await self._store.run(Settle([settlement]))
            except Invalid as error:
                settlement = endings.unsettled(settlement, error)
                continue
            if answer.accepted is not None:
                break
            await asyncio.sleep(BUSY_SECONDS)
        else:
            answer = None
        warn_unless_accepted(settlement, accepted=answer is not None and answer.accepted is True)
