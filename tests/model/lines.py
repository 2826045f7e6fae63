"""A line of a claim, read as a lease."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from jobplane.core.lines import Taken, Ticket
from jobplane.core.model import Claimed, Lease
from jobplane.store.sqlite.moment import instant


def ticket(lease: Lease) -> Ticket:
    return Ticket(lease.seq, lease.attempt_no, lease.token)


def read(taken: Taken, until: datetime) -> Claimed:
    """The leases that a claim made until then; a line does not say the definition's number."""
    lines = taken.lines.decode().split("\n") if taken.tickets else []
    pairs = zip(taken.tickets, lines, strict=True)
    return Claimed([_read(held, line.split("\t"), held.seq in taken.alone, until) for held, line in pairs], taken.more)


def _read(held: Ticket, line: Sequence[str], alone: bool, until: datetime) -> Lease:
    seq, attempt_no, key, timeout, left, job_id, tenant, due, source, rest, payload = line
    assert (int(seq), int(attempt_no)) == held[:2], "a line for another ticket"
    facts = json.loads(rest or "{}")
    return Lease(
        seq=held.seq,
        job_id=UUID(job_id),
        tenant_id=UUID(tenant),
        definition_id=0,
        definition_key=key,
        attempt_no=held.attempt_no,
        attempts_left=int(left),
        token=held.token,
        lease_expires_at=until,
        scheduled_for=instant(int(due)),
        timeout_seconds=int(timeout) if timeout else None,
        priority=facts.get("priority", 100),
        alone=alone,
        payload=json.loads(payload),
        artifact_ref=facts.get("artifact_ref"),
        correlation_id=facts.get("correlation_id"),
        trace_context=facts.get("trace_context"),
        source=source,
        source_ref=facts.get("source_ref"),
    )
