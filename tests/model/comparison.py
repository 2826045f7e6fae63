"""A store and the specification side by side, and all that a reader sees of the one held against the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Protocol
from uuid import UUID

from jobplane.core.model import Job, JobFilter, JobStatus
from tests.client import BlockingStore
from tests.conformance.backend import Audit
from tests.model.claims import follow_held
from tests.model.fairness import Fairness
from tests.model.life import Life, Place
from tests.model.specification import Specification

STATUSES: Final = tuple(JobStatus)


class Hands(Protocol):
    """The clock and the dice of a store."""

    def advance(self, by: timedelta | float) -> None: ...

    def load_dice(self, value: float) -> None: ...


def same(got: object, expected: object) -> None:
    assert got == expected, f"the store says {got}, the specification {expected}"


def _history(life: Life) -> tuple[int, int, float | None]:
    """What changes when an attempt of the job does."""
    return life.attempt_no, len(life.attempts), life.run.progress if life.run else None


@dataclass
class Comparison:
    store: BlockingStore
    clock: Hands
    audit: Audit
    spec: Specification = field(default_factory=Specification)
    fairness: Fairness = field(default_factory=Fairness)
    tenants: list[UUID] = field(default_factory=list[UUID])
    recorded: dict[int, tuple[int, int, float | None]] = field(default_factory=dict[int, tuple[int, int, float | None]])
    steps: int = 0

    def seen(self) -> dict[tuple[UUID, UUID], Job]:
        return {
            (tenant, job.id): job for tenant in self.tenants for job in self.store.list_jobs(tenant, limit=1000).items
        }

    def check(self) -> None:
        """Whole jobs, attempts, lists, counts, and what no reader sees."""
        self.steps += 1
        seen = self.seen()
        self.fairness.back(follow_held(self.spec, seen))
        self.fairness.look(self.spec)
        expected = [life.shown() for tenant in self.tenants for life in reversed(self.spec.of(tenant))]
        for job, meant in zip(seen.values(), expected, strict=True):
            same(job, meant)
        for tenant in self.tenants:
            self._check_counts(tenant)
        self._check_list(self.tenants[self.steps % len(self.tenants)], STATUSES[self.steps % len(STATUSES)])
        self._check_queues()
        self._check_attempts([life for life in self.spec.lives if self.recorded.get(id(life)) != _history(life)])
        self.recorded = {id(life): _history(life) for life in self.spec.lives}
        same(self.audit.faults(), [])

    def _check_counts(self, tenant: UUID) -> None:
        summary, lives = self.store.summary(tenant), self.spec.of(tenant)
        for status in JobStatus:
            same(getattr(summary, status.value), sum(life.status is status for life in lives))
        for place in (Place.READY, Place.HELD, Place.UPCOMING):
            same(getattr(summary, place.name.lower()), sum(life.place is place for life in lives))
        due = [life for life in lives if life.status is JobStatus.QUEUED and life.due_at <= self.spec.now]
        waits = {(self.spec.now - life.due_at).total_seconds() for life in due}
        assert summary.oldest_due_seconds in (waits or {None}), "no due job has waited for so long"

    def _check_queues(self) -> None:
        for queue in self.store.queues():
            if queue.name in self.spec.paused_queues:
                same(queue.paused_at is not None, self.spec.paused_queues[queue.name])
                places = Counter(life.place for life in self.spec.lives if life.queue == queue.name)
                expected = [places[place] for place in (Place.READY, Place.HELD, Place.UPCOMING, Place.LEASED)]
                same([queue.ready, queue.held, queue.upcoming, queue.running], expected)

    def _check_list(self, tenant: UUID, status: JobStatus) -> None:
        listed = self.store.list_jobs(tenant, JobFilter(statuses=[status]), limit=1000).items
        expected = [life.id for life in reversed(self.spec.of(tenant)) if life.status is status]
        same([job.id for job in listed], expected)

    def _check_attempts(self, lives: Sequence[Life]) -> None:
        for life in lives:
            assert life.id is not None
            same(self.store.attempts(life.tenant_id, life.id), life.shown_attempts())

    def check_whole(self) -> None:
        """At the end of a history: each attempt of each job."""
        self._check_attempts(self.spec.lives)
