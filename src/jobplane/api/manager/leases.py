"""Leases: acquire a job, keep it, and say how its attempt ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from jobplane.api.manager.answers import choice, settled, unreadable
from jobplane.api.manager.holding import Holding, Memory
from jobplane.api.manager.record import JobRecord, LeaseRecord, record
from jobplane.api.manager.registry import Registry
from jobplane.api.manager.request import LONGEST_LEASE
from jobplane.control.upkeep import Upkeep
from jobplane.control.waiting import Sleep
from jobplane.core.errors import JobplaneError, StaleLease, StoreBusy, UnknownQueue
from jobplane.core.model import (
    DEFAULT_TENANT,
    Document,
    Job,
    JobFilter,
    JobStatus,
    Json,
    Lease,
    Outcome,
    Renewed,
    Settled,
    Settlement,
)
from jobplane.store.base import Store
from jobplane.store.verbs.engine import Claim, Release, Renew, Settle
from jobplane.store.verbs.jobs import GetJobs, ListJobs

_LOOKS: Final = 10  # jobs that an acquire for one owner may take into its hand
_TURNS: Final = 100  # a lease that somebody's transaction has locked is asked for so often,
_PAUSE: Final = 0.05  # with so many seconds between
_LEASE: Final = 60.0  # the usual one: after an outage nothing is reaped for so long


class Leases:
    """What a worker does. A lease that is not, or no longer, the caller's is StaleLease, and nothing changes."""

    def __init__(self, store: Store, registry: Registry, pause: Sleep) -> None:
        self._store = store
        self._registry = registry
        self._pause = pause
        self._memory = Memory()
        self._upkeep = Upkeep(store, lease_seconds=_LEASE)

    async def acquire(self, lane: str, worker_id: str, seconds: int, owned: Document) -> JobRecord | None:
        """The next job of a queue, or the next of these that belongs to an owner; upkeep that is due comes first."""
        await self._upkeep.once()
        if owned and not await self._waits(lane, owned):
            return None
        leases = await self._claim(lane, worker_id, _LOOKS if owned else 1, seconds)
        try:
            return await self._choose(leases, worker_id, owned)
        except BaseException:  # whoever asked hears of none of them, so none may wait for its lease to run out
            with suppress(JobplaneError):
                await self._give_back(leases)
            raise

    async def renew(self, job_id: UUID, seconds: int, worker_id: str | None, lease_id: str | None) -> LeaseRecord:
        """Prolong a lease; one that lasts longer already stays as long as it was."""
        holding = self._memory.find(job_id, worker_id, lease_id)
        before = holding.leased_until or await self._leased_until(holding)
        until, cancel = await self._renew(holding, seconds)
        if before is not None and until < before:
            longer = seconds + math.ceil((before - until).total_seconds())
            until, cancel = await self._renew(holding, min(longer, LONGEST_LEASE))
        holding = replace(holding, leased_until=until)
        self._memory.keep(holding)
        return LeaseRecord(
            id=job_id,
            worker_id=holding.worker_id,
            lease_id=holding.lease_id,
            leased_until=until,
            cancel_requested=cancel,
        )

    async def end(
        self,
        job_id: UUID,
        worker_id: str | None,
        lease_id: str | None,
        outcome: Outcome,
        *,
        error: str | None = None,
        result: Json = None,
    ) -> JobStatus:
        """End the attempt; the same call again answers the same."""
        holding = self._memory.find(job_id, worker_id, lease_id)
        ending = Settlement(lease=_proof(holding), outcome=outcome, error=error, result=result)
        for _ in range(_TURNS):
            [answer] = await self._store.run(Settle([ending]))
            if answer.accepted is not None:
                return settled(job_id, answer)
            await self._pause(_PAUSE)
        raise _locked(job_id)

    async def _waits(self, lane: str, owned: Document) -> bool:
        """Whether a job of theirs waits at all: where none does, nobody else's is touched."""
        where = JobFilter(statuses=[JobStatus.QUEUED], queues=[lane], metadata=owned)
        page = await self._store.run(ListJobs(DEFAULT_TENANT, where, limit=1))
        return bool(page.items) or not page.scanned_all

    async def _claim(self, lane: str, worker_id: str, limit: int, seconds: int) -> list[Lease]:
        for _ in range(_LOOKS):
            try:
                claimed = await self._store.run(Claim(lane, worker_id, limit=limit, lease_seconds=seconds))
            except UnknownQueue:
                await self._registry.open(lane)
                continue
            leases = await self._decodable(claimed.leases)
            if leases or not (claimed.leases or claimed.more):
                return leases
        return []

    async def _decodable(self, leases: Sequence[Lease]) -> list[Lease]:
        """Those that a worker can run; the others end here, as they would in a worker of jobplane's own."""
        if bad := [unreadable(lease) for lease in leases if lease.undecodable]:
            await self._store.run(Settle(bad))
        return [lease for lease in leases if not lease.undecodable]

    async def _choose(self, leases: Sequence[Lease], worker_id: str, owned: Document) -> JobRecord | None:
        jobs = await self._jobs(leases)
        chosen = choice(leases, jobs, owned)
        await self._give_back([lease for lease in leases if lease is not chosen])
        if chosen is None:
            return None
        holding = Holding.of(chosen, worker_id)
        self._memory.keep(holding)
        return record(jobs[chosen.job_id], holding.lease_id)

    async def _jobs(self, leases: Sequence[Lease]) -> dict[UUID, Job]:
        """The jobs behind leases, each asked for as its own tenant."""
        found: list[Job] = []
        for tenant in {lease.tenant_id for lease in leases}:
            found += await self._store.run(GetJobs(tenant, [x.job_id for x in leases if x.tenant_id == tenant]))
        return {job.id: job for job in found}

    async def _give_back(self, leases: list[Lease]) -> None:
        """Unspent: neither an attempt nor an interruption is counted."""
        for _ in range(_TURNS):
            if not leases:
                return
            answers = await self._store.run(Release(leases, reason="unstarted"))
            locked = _locked_ones(answers)
            leases = [lease for lease in leases if lease.seq in locked]
            if leases:
                await self._pause(_PAUSE)

    async def _leased_until(self, holding: Holding) -> datetime | None:
        jobs = await self._store.run(GetJobs(DEFAULT_TENANT, [holding.job_id]))
        return jobs[0].lease_expires_at if jobs and jobs[0].attempt_no == holding.attempt_no else None

    async def _renew(self, holding: Holding, seconds: int) -> tuple[datetime, bool]:
        for _ in range(_TURNS):
            [answer] = await self._store.run(Renew([_proof(holding)], lease_seconds=seconds))
            if answer.answer != "busy":
                return _renewed(holding.job_id, answer)
            await self._pause(_PAUSE)
        raise _locked(holding.job_id)


def _proof(holding: Holding) -> Lease:
    return holding.lease(holding.leased_until or datetime.max.replace(tzinfo=UTC))


def _renewed(job_id: UUID, answer: Renewed) -> tuple[datetime, bool]:
    if answer.answer == "gone" or answer.lease_expires_at is None:
        raise StaleLease(f"the lease on job {job_id} is gone: stop, and leave the job to who has it now")
    return answer.lease_expires_at, answer.answer == "cancel"


def _locked_ones(answers: Sequence[Settled]) -> set[int]:
    return {answer.seq for answer in answers if answer.accepted is None}


def _locked(job_id: UUID) -> StoreBusy:
    return StoreBusy(f"job {job_id} is locked by somebody's open transaction; the same call may succeed now")
