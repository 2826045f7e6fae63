"""The leases that a manager handed out: ids that say all that a store asks for, and a memory of the latest."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Final
from uuid import UUID

from jobplane.core.errors import StaleLease
from jobplane.core.leases import Lease

_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Holding:
    """Who holds which attempt of which job; `leased_until` as it was last heard, None in another process."""

    job_id: UUID
    lease: Lease
    worker_id: str
    leased_until: datetime | None = None

    @classmethod
    def read(cls, lease_id: str) -> Holding | None:
        """From its id, in whatever process that was made; None if it is no such id."""
        try:
            job, seq, attempt, token, worker_id = lease_id.split(".", 4)
            return cls(UUID(job), Lease(int(seq), int(attempt), UUID(token)), worker_id)
        except (ValueError, AttributeError):
            return None

    @property
    def lease_id(self) -> str:
        seq, attempt_no, token = self.lease
        return f"{self.job_id.hex}.{seq}.{attempt_no}.{token.hex}.{self.worker_id}"


class Memory:
    """The latest holdings of a manager, for callers that pass no lease_id; threads may share it."""

    def __init__(self) -> None:
        self._latest: OrderedDict[UUID, Holding] = OrderedDict()
        self._lock = Lock()

    def keep(self, holding: Holding) -> None:
        with self._lock:
            self._latest[holding.job_id] = holding
            self._latest.move_to_end(holding.job_id)
            if len(self._latest) > _REMEMBERED:
                self._latest.popitem(last=False)

    def find(self, job_id: UUID, worker_id: str | None, lease_id: str | None) -> Holding:
        """The holding that the caller means, or StaleLease: it is not theirs."""
        kept = self._latest.get(job_id)
        found = kept if kept and lease_id in (None, kept.lease_id) else Holding.read(lease_id or "")
        if found is None or found.job_id != job_id:
            raise StaleLease(
                f"No lease on job {job_id} is known by that id. Pass the lease_id that acquire_next_job gave."
            )
        if worker_id not in (None, found.worker_id):
            raise StaleLease(f'The lease on job {job_id} is not held by worker "{worker_id:.80}". Leave the job alone.')
        return found
