"""Why a job waits, runs or has ended: what each gate of the claim says of it, with the facts behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import UUID

from jobplane.core.model import Document, JobStatus, Json
from jobplane.core.wording import clock_time, counted, error_line, paused, span

State: TypeAlias = Literal["ready", "held", "upcoming", "leased", "ended"]
_SOON: Final = "The upkeep makes the job ready within seconds."


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a store knows of one job and of what a claim looks at before it takes the job.

    `own_running`: jobs of the tenant among `definition_used`. `before`: jobs of the tenant that are ready in the same
    queue and priority and come first. `mismatched`: live workers of the queue whose policy has another command under
    this key. Counts stop at 10,000, lists of ids at ten.
    """

    now: datetime
    state: State
    job_id: UUID
    status: JobStatus
    definition_key: str
    queue: str
    priority: int
    scheduled_for: datetime
    expires_at: datetime | None
    held_by: str | None
    attempt_no: int
    worker_id: str | None
    hostname: str | None
    started_at: datetime | None
    finished_at: datetime | None
    lease_expires_at: datetime | None
    cancel_requested_at: datetime | None
    progress: float | None
    progress_message: str | None
    reason: str | None
    error: str | None
    queue_paused_at: datetime | None
    queue_paused_by: str | None
    queue_paused_reason: str | None
    tenant_paused_at: datetime | None
    tenant_paused_by: str | None
    tenant_paused_reason: str | None
    has_definition: bool
    kind: str | None
    active: bool
    deleted_at: datetime | None
    serving: int
    knowing: list[str]
    last_worker_id: str | None
    last_worker_seen_at: datetime | None
    max_in_flight: int | None
    tenant_used: int
    tenant_jobs: list[UUID]
    max_running: int | None
    definition_used: int
    own_running: int
    max_running_per_tenant: int | None
    definition_tenant_used: int
    definition_jobs: list[UUID]
    before: int | None
    lane_tenants: int | None
    mismatched: list[str] = field(default_factory=list[str])
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition of the claim. The name says what shuts it: the same word as in a job's `held_by`."""

    name: str
    is_open: bool
    detail: str
    evidence: Document


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a job is where it is. A waiting job has every gate, a running one its worker, an ended one its ending."""

    job_id: UUID
    status: JobStatus
    summary: str
    gates: list[Gate]
    held_by: str | None
    jobs_before: int | None
    lane_tenants: int | None
    attempt_no: int
    worker_id: str | None
    hostname: str | None
    started_at: datetime | None
    lease_expires_at: datetime | None
    progress: float | None
    progress_message: str | None
    finished_at: datetime | None
    reason: str | None
    error: str | None

    @property
    def shut(self) -> list[Gate]:
        """The gates that keep the job from running."""
        return [gate for gate in self.gates if not gate.is_open]


def explain(evidence: Evidence) -> Explanation:
    """What the evidence says, in words."""
    e = evidence
    gates = [_released(e, gate(e)) for gate in GATES] if e.status is JobStatus.QUEUED else []
    return Explanation(
        job_id=e.job_id,
        status=e.status,
        summary=_summary(e, gates),
        gates=gates,
        held_by=e.held_by,
        jobs_before=e.before,
        lane_tenants=e.lane_tenants,
        attempt_no=e.attempt_no,
        worker_id=e.worker_id,
        hostname=e.hostname,
        started_at=e.started_at,
        lease_expires_at=e.lease_expires_at,
        progress=e.progress,
        progress_message=e.progress_message,
        finished_at=e.finished_at,
        reason=e.reason,
        error=e.error,
    )


def _not_due(e: Evidence) -> Gate:
    facts = {"scheduled_for": _iso(e.scheduled_for)}
    if e.state != "upcoming":
        return Gate("not_due", True, "The job is due.", facts)
    seconds = _seconds(e.now, e.scheduled_for)
    facts |= {"seconds": seconds}
    if seconds > 0:
        at = clock_time(e.scheduled_for, e.now)
        return Gate("not_due", False, f"The job is due in {span(seconds)}, at {at}.", facts)
    return Gate("not_due", True, f"The job is due since {span(-seconds)}. {_SOON}", facts)


def _expired(e: Evidence) -> Gate:
    facts = {"expires_at": _iso(e.expires_at)}
    if e.expires_at is None:
        return Gate("expired", True, "The job has no time by which it must start.", facts)
    at = clock_time(e.expires_at, e.now)
    if _seconds(e.now, e.expires_at) > 0:
        return Gate("expired", True, f"The job must start before {at}.", facts)
    return Gate("expired", False, f"The job had to start before {at}. The upkeep cancels it within seconds.", facts)


def _queue_paused(e: Evidence) -> Gate:
    return _pause("queue_paused", f'Queue "{e.queue}"', e.queue_paused_at, e.queue_paused_by, e.queue_paused_reason, e)


def _tenant_paused(e: Evidence) -> Gate:
    return _pause("tenant_paused", "The tenant", e.tenant_paused_at, e.tenant_paused_by, e.tenant_paused_reason, e)


def _pause(name: str, what: str, at: datetime | None, by: str | None, reason: str | None, e: Evidence) -> Gate:
    is_open = at is None and f"{name}_at" not in e.undecodable
    facts = {"paused_at": _iso(at), "paused_by": by, "paused_reason": reason}
    return Gate(
        name, is_open, f"{what} is not paused." if is_open else f"{what} {paused(at, by, reason, e.now)}.", facts
    )


def _definition_gone(e: Evidence) -> Gate:
    facts = {"definition_key": e.definition_key}
    if e.has_definition:
        return Gate("definition_gone", True, f'Definition "{e.definition_key}" exists.', facts)
    detail = f'There is no definition "{e.definition_key}". Create it again, or cancel the job.'
    return Gate("definition_gone", False, detail, facts)


def _definition_inactive(e: Evidence) -> Gate:
    facts: Document = {"active": e.active, "deleted_at": _iso(e.deleted_at)}
    what = f'Definition "{e.definition_key}"'
    if not e.has_definition or e.active:
        return Gate("definition_inactive", True, f"{what} is active." if e.active else "See definition_gone.", facts)
    if e.deleted_at is not None:
        return Gate("definition_inactive", False, f"{what} was deleted at {clock_time(e.deleted_at, e.now)}.", facts)
    return Gate("definition_inactive", False, f"{what} is not active. Enable it, or cancel the job.", facts)


def _unbound(e: Evidence) -> Gate:
    facts: Document = {"kind": e.kind}
    what = f'definition "{e.definition_key}"'
    if not e.has_definition:
        return Gate("unbound", True, "See definition_gone.", facts)
    if e.kind is not None:
        return Gate("unbound", True, f"D{what[1:]} has the kind {e.kind}.", facts)
    if e.knowing:
        return Gate("unbound", True, f"No worker has registered {what} yet, but a live worker can run it.", facts)
    return Gate("unbound", False, f"No worker has registered {what} yet. Start one that has it.", facts)


def _queue_not_served(e: Evidence) -> Gate:
    facts: Document = {"queue": e.queue, "live_workers": e.serving}
    if e.serving:
        served = f'{counted(e.serving, "live worker")} {"serves" if e.serving == 1 else "serve"} queue "{e.queue}".'
        return Gate("queue_not_served", True, served, facts)
    detail = f'No live worker serves queue "{e.queue}". Start one.'
    return Gate("queue_not_served", False, detail, facts)


def _no_worker(e: Evidence) -> Gate:
    last_at = _iso(e.last_worker_seen_at)
    facts: Document = {"workers": e.knowing, "last_worker_id": e.last_worker_id, "last_seen_at": last_at}
    work = f'definition "{e.definition_key}" in queue "{e.queue}"'
    if e.knowing:
        return Gate("no_worker", True, f"Live workers that run {work}: {', '.join(e.knowing)}.", facts)
    last = ""
    if e.last_worker_id is not None:
        last = f" The last one was {e.last_worker_id}, seen at {clock_time(e.last_worker_seen_at, e.now)}."
    return Gate("no_worker", False, f"No live worker runs {work}.{last}", facts)


def _policy_mismatch(e: Evidence) -> Gate:
    facts: Document = {"workers": e.mismatched}
    what = f'Definition "{e.definition_key}"'
    if not e.mismatched:
        return Gate("policy_mismatch", True, f"{what} differs from the policy of no live worker.", facts)
    differs = f"{what} differs from the policy of these live workers: {', '.join(e.mismatched)}."
    if e.knowing:
        return Gate("policy_mismatch", True, f"{differs} Others run it.", facts)
    return Gate("policy_mismatch", False, f"{differs} Run `jobplane policy check` there.", facts)


def _tenant_limit(e: Evidence) -> Gate:
    return _limit("tenant_limit", "the tenant", e.max_in_flight, e.tenant_used, e.tenant_jobs, 0)


def _definition_limit(e: Evidence) -> Gate:
    others = max(e.definition_used - e.own_running, 0)
    what = f'definition "{e.definition_key}"'
    return _limit("definition_limit", what, e.max_running, e.definition_used, e.definition_jobs, others)


def _definition_tenant_limit(e: Evidence) -> Gate:
    what = f'definition "{e.definition_key}" for the tenant'
    used = e.definition_tenant_used
    return _limit("definition_tenant_limit", what, e.max_running_per_tenant, used, e.definition_jobs, 0)


def _limit(name: str, what: str, most: int | None, used: int, jobs: list[UUID], others: int) -> Gate:
    if most is None:
        return Gate(name, True, f"There is no limit of {what}.", {"limit": None})
    facts: Document = {"limit": most, "used": used, "jobs": [str(job) for job in jobs], "others": others}
    shared = f", {others:,} of them by other tenants" if others else ""
    return Gate(name, used < most, f"{used:,} of {most:,} slots of {what} are in use{shared}.", facts)


# In the order in which a person wants to know: what time changes, what somebody has set, what is missing, what is full.
GATES: Final[tuple[Callable[[Evidence], Gate], ...]] = (
    _not_due,
    _expired,
    _queue_paused,
    _tenant_paused,
    _definition_gone,
    _definition_inactive,
    _unbound,
    _queue_not_served,
    _policy_mismatch,
    _no_worker,
    _tenant_limit,
    _definition_limit,
    _definition_tenant_limit,
)


def _released(e: Evidence, gate: Gate) -> Gate:
    """A gate that has opened since a claim found it shut: the job stays aside until the upkeep has looked."""
    if gate.name != e.held_by or not gate.is_open:
        return gate
    return replace(gate, detail=f"{gate.detail} It was closed when a worker last looked. {_SOON}")


def _summary(e: Evidence, gates: list[Gate]) -> str:
    if "status" in e.undecodable:
        return "The status of the job cannot be decoded."
    match e.status:
        case JobStatus.QUEUED:
            return _waiting(e, [gate for gate in gates if not gate.is_open])
        case JobStatus.RUNNING:
            return _running(e)
        case JobStatus.SUCCEEDED | JobStatus.FAILED | JobStatus.DEAD_LETTER | JobStatus.CANCELED:
            return _ended(e)


def _waiting(e: Evidence, shut: list[Gate]) -> str:
    if shut:
        more = ", ".join(gate.name for gate in shut[1:])
        return f"The job waits. {shut[0].detail}" + (f" Also closed: {more}." if more else "")
    if e.state != "ready":
        return f"Nothing blocks the job now. {_SOON}"
    before = f"{counted(e.before or 0)} of this tenant {'is' if e.before == 1 else 'are'} before it"
    tenants = e.lane_tenants or 1
    shared = f", and {counted(tenants, 'tenant')} share the lane" if tenants > 1 else ""
    return f'The job may run now. In queue "{e.queue}" with priority {e.priority}, {before}{shared}.'


def _running(e: Evidence) -> str:
    host = f" on {e.hostname}" if e.hostname else ""
    done = "" if e.progress is None else f" Progress: {e.progress:.0%}."
    stop = "" if e.cancel_requested_at is None else " It has been asked to stop."
    late = " Its lease has expired: the upkeep ends the attempt." if _seconds(e.now, e.lease_expires_at) < 0 else ""
    since = clock_time(e.started_at, e.now)
    return f"Attempt {e.attempt_no} runs since {since}, in worker {e.worker_id}{host}.{done}{stop}{late}"


def _ended(e: Evidence) -> str:
    why = e.reason or error_line(e.error)
    attempt = f" after attempt {e.attempt_no}" if e.attempt_no else " without an attempt"
    return f"The job ended as {e.status} at {clock_time(e.finished_at, e.now)}{attempt}" + (f": {why}." if why else ".")


def _iso(at: datetime | None) -> Json:
    return None if at is None else at.isoformat()


def _seconds(now: datetime | None, at: datetime | None) -> float:
    """From now until then; a time that cannot be read is now."""
    return 0.0 if now is None or at is None else (at - now).total_seconds()
