"""Leases: acquire a job, keep it, and say how its attempt ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.api.manager.answers import choose, fault_of, require_settled
from jobplane.api.manager.holding import Holding, Memory
from jobplane.api.manager.record import JobRecord, LeaseRecord, record
from jobplane.api.manager.registry import ManagerRegistry
from jobplane.api.manager.request import LONGEST_LEASE
from jobplane.control.upkeep import Upkeep
from jobplane.control.waiting import Sleep
from jobplane.core.claimed import ClaimedJob
from jobplane.core.errors import JobplaneError, StaleLease, StoreBusy, UnknownQueue
from jobplane.core.leases import Claimed, Ending, Lease, Settlement, settle_released
from jobplane.core.model import DEFAULT_TENANT, Document, Job, JobFilter, JobStatus, Json, Outcome
from jobplane.core.payload import encode_result
from jobplane.store.base import Store
from jobplane.store.verbs.engine import Claim, Renew, Settle
from jobplane.store.verbs.jobs import GetJobs, ListJobs

_LOOKS: Final = 10  # jobs that an acquire for one owner may claim
_TURNS: Final = 100  # how often a lease that another transaction has locked is asked for
_PAUSE: Final = 0.05  # seconds between two of these tries
_LEASE: Final = 60.0  # the usual one: after an outage nothing is reaped for so long


class Leases:
    """What a worker does. A lease that is not, or no longer, the caller's is StaleLease, and nothing changes."""

    def __init__(self, store: Store, registry: ManagerRegistry, pause: Sleep) -> None:
        self._store = store
        self._registry = registry
        self._pause = pause
        self._memory = Memory()
        self._upkeep = Upkeep(store, lease_seconds=_LEASE)

    async def acquire(self, lane: str, worker_id: str, seconds: int, owned: Document) -> JobRecord | None:
        """The next job of a queue, or the next of these that belongs to an owner; upkeep that is due comes first."""
        await self._upkeep.run_once()
        if owned and not await self._waits(lane, owned):
            return None
        claimed, until = await self._claim(lane, worker_id, _LOOKS if owned else 1, seconds)
        try:
            return await self._choose(claimed, until, worker_id, owned)
        except BaseException:  # whoever asked hears of none of them, so none may wait for its lease to run out
            with suppress(JobplaneError):
                await self._give_back([lease for lease, _ in claimed])
            raise

    async def renew(self, job_id: UUID, seconds: int, worker_id: str | None, lease_id: str | None) -> LeaseRecord:
        """Prolong a lease; one that lasts longer already stays as long as it was."""
        holding = self._memory.find(job_id, worker_id, lease_id)
        before = holding.leased_until or await self._find_expiry(holding)
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
        ending = Ending(outcome, error=error, result=None if result is None else encode_result(result))
        for _ in range(_TURNS):
            [answer] = await self._store.run(Settle([Settlement(holding.lease, ending)]))
            if answer.accepted is not None:
                return require_settled(job_id, answer)
            await self._pause(_PAUSE)
        raise _locked_error(job_id)

    async def _waits(self, lane: str, owned: Document) -> bool:
        """Whether a job of theirs waits at all: where none does, nobody else's is touched."""
        where = JobFilter(statuses=[JobStatus.QUEUED], queues=[lane], metadata=owned)
        page = await self._store.run(ListJobs(DEFAULT_TENANT, where, limit=1))
        return bool(page.items) or not page.scanned_all

    async def _claim(
        self, lane: str, worker_id: str, limit: int, seconds: int
    ) -> tuple[list[tuple[Lease, ClaimedJob]], datetime | None]:
        """Leases with their jobs, and when they end."""
        for _ in range(_LOOKS):
            try:
                claimed = await self._store.run(Claim(lane, worker_id, limit=limit, lease_seconds=seconds))
            except UnknownQueue:
                await self._registry.open(lane)
                continue
            found = await self._decodable(claimed)
            if found or not (claimed.leases or claimed.more):
                return found, claimed.expires_at
        return [], None

    async def _decodable(self, claimed: Claimed) -> list[tuple[Lease, ClaimedJob]]:
        """Those that a worker can run; the others end here, as they would in a worker of jobplane's own."""
        pairs = list(zip(claimed.leases, claimed.read(), strict=True))
        faults = {lease: fault for lease, job in pairs if (fault := fault_of(job))}
        if faults:
            await self._store.run(Settle([Settlement(*fault) for fault in faults.items()]))
        return [pair for pair in pairs if pair[0] not in faults]

    async def _choose(
        self, claimed: Sequence[tuple[Lease, ClaimedJob]], until: datetime | None, worker_id: str, owned: Document
    ) -> JobRecord | None:
        jobs = await self._jobs([job for _, job in claimed])
        chosen = choose(jobs, owned)
        leases = {job.job_id: lease for lease, job in claimed}
        await self._give_back([lease for job_id, lease in leases.items() if chosen is None or job_id != chosen.id])
        if chosen is None:
            return None
        holding = Holding(chosen.id, leases[chosen.id], worker_id, until)
        self._memory.keep(holding)
        return record(chosen, holding.lease_id)

    async def _jobs(self, claimed: Sequence[ClaimedJob]) -> list[Job]:
        """The whole jobs in the same order, each asked for as its own tenant."""
        ids: dict[UUID, list[UUID]] = {}
        for job in claimed:
            ids.setdefault(job.tenant_id, []).append(job.job_id)
        found = {job.id: job for tenant in ids for job in await self._store.run(GetJobs(tenant, ids[tenant]))}
        return [found[job.job_id] for job in claimed]

    async def _give_back(self, leases: list[Lease]) -> None:
        """Unspent: neither an attempt nor an interruption is counted."""
        for _ in range(_TURNS):
            if not leases:
                return
            answers = await self._store.run(Settle([settle_released(lease, "unstarted") for lease in leases]))
            locked = {answer.seq for answer in answers if answer.accepted is None}
            leases = [lease for lease in leases if lease.seq in locked]
            if leases:
                await self._pause(_PAUSE)

    async def _find_expiry(self, holding: Holding) -> datetime | None:
        jobs = await self._store.run(GetJobs(DEFAULT_TENANT, [holding.job_id]))
        return jobs[0].lease_expires_at if jobs and jobs[0].attempt_no == holding.lease.attempt_no else None

    async def _renew(self, holding: Holding, seconds: int) -> tuple[datetime, bool]:
        """When the lease ends now, and whether somebody wants the job to stop."""
        for _ in range(_TURNS):
            renewed = await self._store.run(Renew([holding.lease], seconds))
            answers = {each.answer for each in renewed.exceptions}
            if "gone" in answers:
                raise StaleLease(
                    f"The lease on job {holding.job_id} has expired or was taken over. Stop working on it."
                )
            if "busy" not in answers:
                return renewed.expires_at, "cancel" in answers
            await self._pause(_PAUSE)
        raise _locked_error(holding.job_id)


def _locked_error(job_id: UUID) -> StoreBusy:
    return StoreBusy(f"Job {job_id} is locked by an open transaction. Try the same call again.")
