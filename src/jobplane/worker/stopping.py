"""Stop a worker in order: claim no more, let jobs finish, release the rest, settle, deregister."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from typing import Final

from jobplane.process.contact import CallRefused, ConnectionLost
from jobplane.worker.crew import Crew
from jobplane.worker.fleet import Fleet
from jobplane.worker.frames import StopReason
from jobplane.worker.journal import Journal

# A stop takes at most 3 s beyond the grace time. This much is for all but the last settlements.
BEYOND_SECONDS: Final = 1.7
CLAIM_SECONDS: Final = 0.8
STOP_SECONDS: Final = 0.7
HURRY_SECONDS: Final = 1.0
LEAVE_SECONDS: Final = 0.3
_LOOK_SECONDS: Final = 0.01


class Stop:
    """Stops a worker in order. Renewals and settlements go on until the last job has ended."""

    def __init__(
        self, crew: Crew, fleet: Fleet, journal: Journal, tasks: Mapping[str, asyncio.Task[None]], grace_seconds: float
    ) -> None:
        self._crew = crew
        self._fleet = fleet
        self._journal = journal
        self._tasks = tasks
        self._grace = grace_seconds

    async def run(self, hurry: asyncio.Event) -> None:
        """Takes at most the grace time and 3 s, also if the database does not answer."""
        ends_at = asyncio.get_running_loop().time() + self._grace
        self._journal.log_event("worker_stopping", running=len(self._fleet.list_held()), grace_seconds=self._grace)
        self._crew.stop_claims()
        await self._wait_for_claim()
        self._fleet.take_back_all()
        if not await self._drain(ends_at, hurry):
            await self._release()
        await self._close(ends_at, hurry)
        if await self._settle(ends_at + BEYOND_SECONDS, hurry):
            await _at_most(LEAVE_SECONDS, self._crew.registration.leave())

    async def _wait_for_claim(self) -> None:
        """Wait a moment for the claim that is under way.

        A longer one is not canceled: it gives its jobs back when it answers, instead of leaving them to the reaper.
        """
        await asyncio.wait({self._tasks["claims"]}, timeout=CLAIM_SECONDS)

    async def _drain(self, ends_at: float, hurry: asyncio.Event) -> bool:
        left = _seconds_left(ends_at)
        draining, hurrying = asyncio.create_task(self._fleet.drain(left)), asyncio.create_task(hurry.wait())
        await asyncio.wait({draining, hurrying}, return_when=asyncio.FIRST_COMPLETED)
        for task in (draining, hurrying):
            task.cancel()
        return draining.done() and not draining.cancelled() and draining.result()

    async def _release(self) -> None:
        """Stop the jobs that still run after the grace time. They end as released."""
        held: dict[int, StopReason] = {lease.seq: "shutdown" for lease in self._fleet.list_held()}
        self._journal.log_event("jobs_released", level="warning", jobs=len(held))
        self._fleet.stop(held)
        await self._fleet.drain(STOP_SECONDS)

    async def _close(self, ends_at: float, hurry: asyncio.Event) -> None:
        """End the processes. Shutdown hooks have the rest of the grace time, unless a second signal comes."""
        if hurry.is_set():
            return await self._fleet.close()
        closing, hurrying = (
            asyncio.create_task(self._fleet.close(_seconds_left(ends_at))),
            asyncio.create_task(hurry.wait()),
        )
        await asyncio.wait({closing, hurrying}, return_when=asyncio.FIRST_COMPLETED)
        hurrying.cancel()
        if not closing.done():
            self._fleet.hurry()
        return await closing

    async def _settle(self, until: float, hurry: asyncio.Event) -> bool:
        """Settle until the time is up. The reaper ends the attempts that are left, as if this worker had died."""
        clock = asyncio.get_running_loop().time
        until, is_hurried = max(until, clock() + LEAVE_SECONDS), False
        while not self._crew.is_settled and clock() < until:
            if hurry.is_set() and not is_hurried:
                until, is_hurried = min(until, clock() + HURRY_SECONDS), True
            self._crew.settler.wake()
            await asyncio.sleep(_LOOK_SECONDS)
        if not self._crew.is_settled:
            left, claims = self._crew.settler.count, int(self._crew.fetcher.is_claiming)
            self._journal.log_event("left_unsettled", level="warning", attempts=left, claims=claims)
        return self._crew.is_settled


def _seconds_left(ends_at: float) -> float:
    return max(0.0, ends_at - asyncio.get_running_loop().time())


async def _at_most(seconds: float, call: Awaitable[object]) -> None:
    with suppress(TimeoutError, ConnectionLost, CallRefused):
        async with asyncio.timeout(seconds):
            await call
