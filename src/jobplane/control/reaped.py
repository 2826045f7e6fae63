"""The log lines of upkeep about the leases that it has ended for lost workers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jobplane.control.status_text import describe_status
from jobplane.core.leases import Reaped
from jobplane.core.traces import trace_id
from jobplane.telemetry.logging import Event

log = logging.getLogger("jobplane.upkeep")

_NAMED: Final = 100  # attempts of one call that have a line of their own


def log_reaped(attempts: Sequence[Reaped], by: str | None) -> None:
    """Warn of how many leases were ended and what became of the jobs, and name the first hundred."""
    statuses = Counter(attempt.status for attempt in attempts)
    led = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    leases = "1 lease of a lost worker has" if len(attempts) == 1 else f"{len(attempts)} leases of lost workers have"
    named = min(len(attempts), _NAMED)
    facts = {"worker_id": by, "attempts": len(attempts), "named": named, "statuses": dict(statuses)}
    _warn("leases_reaped", f"{leases} expired. Status of the jobs now: {led}.", facts)
    for attempt in attempts[:_NAMED]:
        led_to = describe_status(attempt.status) or f"The job is now {attempt.status}."
        _warn("attempt_reaped", f"Lease expired: its worker is lost. {led_to}", _facts(attempt, by))


def _facts(attempt: Reaped, by: str | None) -> Mapping[str, object]:
    """`worker_id` is that of the lost worker."""
    facts: dict[str, Any] = attempt._asdict() | {"job_id": str(attempt.job_id), "tenant_id": str(attempt.tenant_id)}
    facts["next_at"] = None if attempt.next_at is None else attempt.next_at.isoformat(timespec="milliseconds")
    if not attempt.undecodable:
        del facts["undecodable"]
    trace = trace_id(facts["job_id"], facts.pop("trace_context"))
    return facts | {"trace_id": trace, "duration_ms": attempt.held_ms, "reaped_by": by}


def _warn(name: str, text: str, facts: Mapping[str, object]) -> None:
    known = {"event": name, **facts}
    log.warning(Event(text, known), extra={"facts": known})
