"""The leases that a manager handed out: ids that say all that a store asks for, and a memory of the latest."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Final
from uuid import UUID

from jobplane.core.errors import StaleLease
from jobplane.core.model import DEFAULT_TENANT, Lease

_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Holding:
    """Who holds which attempt of which job; `leased_until` as it was last heard, None in another process."""

    job_id: UUID
    seq: int
    attempt_no: int
    token: UUID
    worker_id: str
    leased_until: datetime | None = None

    @classmethod
    def of(cls, lease: Lease, worker_id: str) -> Holding:
        return cls(lease.job_id, lease.seq, lease.attempt_no, lease.token, worker_id, lease.lease_expires_at)

    @classmethod
    def read(cls, lease_id: str) -> Holding | None:
        """From its id, in whatever process that was made; None if it is no such id."""
        try:
            job, seq, attempt, token, worker_id = lease_id.split(".", 4)
            return cls(UUID(job), int(seq), int(attempt), UUID(token), worker_id)
        except (ValueError, AttributeError):
            return None

    @property
    def lease_id(self) -> str:
        return f"{self.job_id.hex}.{self.seq}.{self.attempt_no}.{self.token.hex}.{self.worker_id}"

    def lease(self, until: datetime) -> Lease:
        """What proves it to a store: seq, attempt_no and token. The rest of a lease is for the one who runs the job."""
        return Lease(
            seq=self.seq,
            job_id=self.job_id,
            tenant_id=DEFAULT_TENANT,
            definition_id=0,
            definition_key="",
            attempt_no=self.attempt_no,
            attempts_left=0,
            token=self.token,
            lease_expires_at=until,
            scheduled_for=until,
            timeout_seconds=None,
            priority=0,
            alone=False,
            payload={},
            artifact_ref=None,
            correlation_id=None,
            trace_context=None,
            source="",
            source_ref=None,
        )


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
            raise StaleLease(f"no lease on job {job_id} is known by that: pass the lease_id that acquire_next_job gave")
        if worker_id not in (None, found.worker_id):
            raise StaleLease(f"the lease on job {job_id} is not held by worker {worker_id!r:.80}; leave the job alone")
        return found
