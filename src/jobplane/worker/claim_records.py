"""The rows of recent claims, for log lines and for timeouts. Nothing is decoded before it is needed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from uuid import UUID

from jobplane.core.claimed import SMALL, TENANT_ID, ClaimedJob, head_of
from jobplane.core.leases import Claimed, Lease


class AttemptIds(NamedTuple):
    """The ids of one attempt, as every log line names them."""

    job_id: str
    tenant_id: str
    definition_key: str
    correlation_id: str | None
    trace_id: str
    held_ms: int


@dataclass
class _ClaimRecord:
    """The rows of one claim by seq, without payloads that are large."""

    heads: dict[int, bytes]
    at: float


class ClaimRecords:
    """Claims by their token. Each is kept while the worker holds a lease of it."""

    def __init__(self) -> None:
        self._by_token: dict[UUID, _ClaimRecord] = {}

    def keep(self, claimed: Claimed) -> None:
        if claimed.leases:
            rows = claimed.jobs.split(b"\n")
            heads = rows if len(claimed.jobs) < SMALL * len(rows) else map(head_of, rows)
            seqs = [lease.seq for lease in claimed.leases]
            self._by_token[claimed.leases[0].token] = _ClaimRecord(
                dict(zip(seqs, heads, strict=True)), time.monotonic()
            )

    def facts(self, lease: Lease) -> AttemptIds | None:
        """The ids of an attempt, or None if its claim is not kept any more."""
        job = self._job(lease)
        if job is None:
            return None
        ids, held = job.ids(), time.monotonic() - self._by_token[lease.token].at
        del ids["attempt_no"]
        return AttemptIds(**cast("dict[str, Any]", ids), held_ms=round(held * 1000))

    def tenant_id(self, lease: Lease) -> str | None:
        """None if the claim is not kept any more."""
        job = self._job(lease)
        return None if job is None else job.fields[TENANT_ID].decode()

    def attempts_left(self, lease: Lease) -> int | None:
        """How many attempts are left if this one fails. None if the claim is not kept any more."""
        job = self._job(lease)
        return None if job is None else job.attempts_left

    def timeout_seconds(self, lease: Lease) -> float | None:
        """None if the job has no timeout, or if the claim is not kept any more."""
        job = self._job(lease)
        return None if job is None else job.timeout_seconds

    def _job(self, lease: Lease) -> ClaimedJob | None:
        record = self._by_token.get(lease.token)
        head = record and record.heads.get(lease.seq)
        return ClaimedJob(head) if head else None

    def sweep(self, held: Iterable[Lease]) -> None:
        """Forget the claims without a held lease. Called once a second: counting leases would cost each job."""
        tokens = {lease.token for lease in held}
        for token in self._by_token.keys() - tokens:
            del self._by_token[token]
