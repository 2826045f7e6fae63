"""Run due jobs in the calling process, one after another."""

from __future__ import annotations

import asyncio
import math
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Final

from jobplane.api.inline.renewals import LEASE_SECONDS, Renews
from jobplane.api.inline.renewing import log
from jobplane.api.inline.run import Run, prepare
from jobplane.control.upkeep import Upkeep
from jobplane.control.waiting import Sleep
from jobplane.core.claimed import ClaimedJob
from jobplane.core.errors import Invalid
from jobplane.core.ids import new_worker_id
from jobplane.core.leases import Ending, Lease, Settlement, settle_released
from jobplane.core.model import NewWorker
from jobplane.execution import endings
from jobplane.execution.capture import capture_output
from jobplane.execution.handler import Handler
from jobplane.store.base import EngineStore
from jobplane.store.verbs.engine import Claim, DeregisterWorker, FindDueChores, HasReady, RegisterWorker, Settle

if TYPE_CHECKING:
    from jobplane.api.plane import Plane

# A claim looks at ten rows for each that it is asked for. Where these are jobs of another live worker,
# which it passes over, it has to look further to find one of ours; what it takes too many goes back.
_LOOKS: Final = (1, 1, 1, 10, 100, 1000)
_BUSY_SECONDS: Final = 0.05
_BUSY_TRIES: Final = 100
# Chores that make due jobs ready. Like a claim they pass over rows that another transaction has locked.
_READYING: Final = ("promote", "sweep")
# How long `drain` waits for such rows. A transaction of the same program would keep it waiting for ever.
_LOCKED_SECONDS: Final = 10.0


class Inline(ABC):
    """A worker for as long as a call lasts. It knows this program's definitions, and takes no other jobs."""

    def __init__(self, plane: Plane, store: EngineStore, queues: Sequence[str], sleep: Sleep) -> None:
        self._plane = plane
        self._store = store
        self._sleep = sleep
        self._upkeep = Upkeep(store)
        self._worker = _worker_of(plane, queues)

    @abstractmethod
    def _renews(self, handler: Handler, lease: Lease) -> Renews: ...

    @abstractmethod
    async def _call(self, run: Run) -> Ending:
        """Run the handler, and keep its lease meanwhile."""

    async def _register(self) -> None:
        await self._store.run(RegisterWorker(self._worker))

    async def _deregister(self) -> None:
        await self._store.run(DeregisterWorker(self._worker.worker_id))

    async def _drain(self) -> int:
        """Run rounds until nothing is due; how many jobs ran."""
        total, until = 0, monotonic() + _LOCKED_SECONDS
        while True:
            # Look before the claim: where nothing is due by then, every due job is ready and the claim can see it.
            # It passes over those that are locked, so look after it for what it has left.
            found = await self._store.run(FindDueChores(_READYING))
            if ran := await self._round():
                total, until = total + ran, monotonic() + _LOCKED_SECONDS
            elif not found.due and not await self._store.run(HasReady(self._worker.worker_id)):
                return total
            elif monotonic() > until:
                log.warning(
                    "Stopped draining while due jobs are locked by another transaction. Commit it, and drain again."
                )
                return total
            else:
                await self._sleep(_BUSY_SECONDS)

    async def _round(self, limit: int | None = None) -> int:
        """Upkeep, then due jobs; how many jobs ran."""
        await self._upkeep.run_all()
        return await self._run_due(limit)

    async def _run_due(self, limit: int | None = None) -> int:
        """Due jobs, one after another; how many ran."""
        ran = 0
        with capture_output():
            async for lease, job in self._leases(limit):
                await self._settle(lease, job, await self._run(lease, job))
                ran += 1
        return ran

    async def _leases(self, limit: int | None) -> AsyncIterator[tuple[Lease, ClaimedJob]]:
        """One lease at a time: the next is taken when this one has ended."""
        left = math.inf if limit is None else limit
        for queue in self._worker.queues:
            while left > 0 and (found := await self._claim(queue)):
                left -= 1
                yield found

    async def _claim(self, queue: str) -> tuple[Lease, ClaimedJob] | None:
        for limit in _LOOKS:
            claimed = await self._store.run(Claim(queue, self._worker.worker_id, limit, LEASE_SECONDS))
            if surplus := claimed.leases[1:]:
                await self._store.run(Settle([settle_released(lease, "unstarted") for lease in surplus]))
            if claimed.leases or not claimed.more:
                return (claimed.leases[0], claimed.read()[0]) if claimed.leases else None
        return None

    async def _run(self, lease: Lease, job: ClaimedJob) -> Ending:
        handler = self._plane.handler(job.definition_key)
        worker, artifacts = self._worker.worker_id, self._plane.artifacts
        try:
            run = prepare(
                handler,
                lease,
                job,
                self._renews(handler, lease),
                worker=worker,
                artifacts=artifacts,
                source=self._plane.secret_source,
            )
        except Exception as error:  # noqa: BLE001 a type's own validator may raise anything
            return endings.end_unfit(error)
        try:
            return await self._call(run)
        except (asyncio.CancelledError, KeyboardInterrupt):
            await self._release(lease)
            raise
        finally:
            run.attempt.secrets.release()

    async def _release(self, lease: Lease) -> None:
        await self._store.run(Settle([settle_released(lease, "shutdown", 0)]))

    async def _settle(self, lease: Lease, job: ClaimedJob, ending: Ending) -> None:
        for _ in range(_BUSY_TRIES):
            try:
                [answer] = await self._store.run(Settle([Settlement(lease, ending)]))
            except Invalid as error:
                ending = endings.end_refused(ending, error)
                continue
            if answer.accepted:
                return
            if answer.accepted is False:
                break
            await self._sleep(_BUSY_SECONDS)
        log.warning("Job %s: attempt %s had lost its lease when it ended.", job.job_id, job.attempt_no)


def _worker_of(plane: Plane, queues: Sequence[str]) -> NewWorker:
    return NewWorker(
        worker_id=new_worker_id("inline"),
        queues=queues,
        definitions=plane.keys,
        hostname=socket.gethostname()[:100],
        pid=os.getpid(),
        version=plane.version,
        slots=1,
    )
