"""A claim is the store's choice; this judges it by the gates, the count and the priorities, and follows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from jobplane.core.model import Job
from tests.leases import Claims, Held
from tests.model.life import UNKNOWN, Life, Place, Run
from tests.model.specification import Specification

Seen = Mapping[tuple[UUID, UUID], Job]


@dataclass(frozen=True)
class Asked:
    """What a claim asked for."""

    queue: str
    worker_id: str
    limit: int
    lease_seconds: int
    begun: bool = True


def follow_claim(spec: Specification, asked: Asked, claimed: Claims, seen: Seen) -> list[Life]:
    """Check what the store chose, and make the same moves; the jobs that run now."""
    waited = [life for life in spec.at(Place.READY) if life.queue == asked.queue]
    chosen = [_chosen(spec, asked, lease) for lease in claimed.leases]
    assert len(chosen) <= asked.limit, "more leases than asked for"
    assert not (chosen and spec.paused_queues[asked.queue]), "a paused queue handed out jobs"
    for life, lease in zip(chosen, claimed.leases, strict=True):
        _start(spec, asked, life, lease)
    for life in chosen:
        assert all(spec.used(gate) <= limit for _, gate, limit in spec.limits(life)), "a limit is exceeded"
    held = [life for life in waited if life.place is Place.READY and _seen(seen, life).held_by]
    for life in held:
        _hold(spec, asked, life, _seen(seen, life).held_by)
    _count(spec, asked, claimed, waited)
    _urgent_first(spec, asked, chosen)
    return chosen


def _seen(seen: Seen, life: Life) -> Job:
    assert life.id is not None
    return seen[life.tenant_id, life.id]


def _chosen(spec: Specification, asked: Asked, lease: Held) -> Life:
    life = spec.find(lease.tenant_id, lease.job_id)
    assert life is not None, "a lease for a job that was never enqueued"
    assert life.place is Place.READY, f"a lease for a job that is {life.place}"
    assert life.queue == asked.queue, "a lease from another queue"
    assert not spec.expired(life), "a lease for a job whose time to start has passed"
    assert spec.shut(life, asked.worker_id) is None, f"the gate {spec.shut(life, asked.worker_id)} was shut"
    return life


def _start(spec: Specification, asked: Asked, life: Life, lease: Held) -> None:
    """The attempt is counted when it is claimed."""
    until = spec.now + timedelta(seconds=asked.lease_seconds)
    life.attempt_no += 1
    life.attempts_left -= 1
    counted = {gate for _, gate, _ in spec.limits(life)}
    life.run = Run(lease, asked.worker_id, spec.now, until, counted, asked.begun)
    life.place = Place.LEASED
    told = (lease.attempt_no, lease.attempts_left, lease.lease_expires_at, lease.scheduled_for)
    assert told == (life.attempt_no, life.attempts_left, until, life.due_at), "the lease has another budget or time"
    facts = (lease.definition_key, lease.payload, lease.timeout_seconds, lease.alone)
    assert facts == (life.definition, life.payload, life.timeout_seconds, life.alone), "the lease has other facts"


def _hold(spec: Specification, asked: Asked, life: Life, reason: str | None) -> None:
    """A job may be held by what shuts it whatever runs, else by a limit that is full now."""
    shut = spec.shut(life, asked.worker_id)
    right = [shut] if shut else spec.full(life)
    assert reason in right, f"held by {reason}, but what shuts it is {right}"
    assert not spec.expired(life), "an expired job was held"
    life.place, life.held_by = Place.HELD, reason


def _count(spec: Specification, asked: Asked, claimed: Claims, waited: list[Life]) -> None:
    """Fewer than asked for only if nobody is left who may run, or if it says that there is more.

    It may stop after ten times its limit; and one that holds some limits waits for no others.
    """
    if claimed.more:
        stopped = 2 * len(waited) >= 10 * asked.limit
        assert stopped or any(limited(spec, life) for life in waited), "it stopped too early"
    elif len(claimed.leases) < asked.limit and not spec.paused_queues[asked.queue]:
        left = [life for life in waited if life.place is Place.READY and not _passed_over(spec, asked, life)]
        assert not left, f"{len(left)} jobs that may run were left behind"


def limited(spec: Specification, life: Life) -> bool:
    return any(spec.limits(life))


def _passed_over(spec: Specification, asked: Asked, life: Life) -> bool:
    """It expires, or another live worker of the queue is there for it."""
    unknown = spec.shut(life, asked.worker_id) in UNKNOWN
    return spec.expired(life) or (unknown and spec.known_to_a_live_worker(life.definition, asked.queue))


def may_run(spec: Specification, asked: Asked, life: Life) -> bool:
    return not (spec.expired(life) or spec.shut(life, asked.worker_id) or spec.full(life))


def _urgent_first(spec: Specification, asked: Asked, chosen: list[Life]) -> None:
    """While a more urgent job waits, a sixteenth of what is handed out comes from a lower priority, no more."""
    waiting = [life for life in spec.at(Place.READY) if life.queue == asked.queue and may_run(spec, asked, life)]
    urgent = min((life.priority for life in waiting), default=10_000)
    assert sum(life.priority > urgent for life in chosen) <= (asked.limit + 15) // 16, "an urgent job was passed over"


def follow_held(spec: Specification, seen: Seen) -> list[Life]:
    """Let back whom the store let back, as many for each gate as there should be."""
    back = [life for life in spec.at(Place.HELD) if _seen(seen, life).held_by is None]
    for gate in {life.gate for life in back} | set(spec.choices):
        moved, bounds = sum(life.gate == gate for life in back), spec.choices.get(gate)
        assert bounds is not None, f"the gate {gate} let jobs back for no reason"
        assert bounds.least <= moved <= bounds.most, f"{gate} let {moved} back, not {bounds}"
    for life in back:
        life.wait(Place.READY)
    spec.choices = {}
    return back
