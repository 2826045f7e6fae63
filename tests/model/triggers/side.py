"""A store beside the specification of schedules: each verb is told to it, and its answers must be the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.core.model import Document, Outcome
from jobplane.core.triggers import Decision, DueTrigger, Fire, Trigger
from tests.client import BlockingStore
from tests.leases import Held, settlement
from tests.model.comparison import Hands, same
from tests.model.triggers.schedules import DEFINITION, Schedules

TENANTS: Final = (UUID(int=1), UUID(int=2))


@dataclass
class Side:
    """`numbers` are those of the specification for the jobs that this store has made."""

    store: BlockingStore
    clock: Hands
    numbers: dict[UUID, int] = field(default_factory=dict[UUID, int])
    leases: dict[int, Held] = field(default_factory=dict[int, Held])

    def furnish(self) -> None:
        for tenant in TENANTS:
            slug = f"tenant-{tenant.int}"
            self.store.create_tenant(slug, slug, tenant_id=tenant)
        self.define(active=True, arg_schema=True)

    def define(self, **values: bool | Document) -> None:
        self.store.put_definitions([{"key": DEFINITION, "kind": "python", **values}])

    # Each verb

    def due(self, spec: Schedules) -> None:
        found = self.store.due_triggers(1000, 1000)
        same((found.now, found.next_seconds), (spec.now, spec.next_seconds()))
        same(_by_id([self._known_due(due) for due in found.triggers]), _by_id(spec.due()))

    def fire(self, decisions: Sequence[Decision], zone_version: str, expected: Sequence[str], numbers: Numbers) -> None:
        answers = self.store.fire(decisions, zone_version, "scheduler-1")
        same([answer.outcome for answer in answers], list(expected))
        self._number([answer.job_id for answer in answers], numbers)

    def fire_by_hand(
        self, trigger: Trigger, kind: str, planned: Sequence[datetime], expected: Sequence[str], numbers: Numbers
    ) -> None:
        payloads: list[Document] = [{} for _ in planned]
        answers = self.store.fire_trigger(trigger.tenant_id, trigger.id, trigger.version, kind, planned, payloads)
        same([answer.outcome for answer in answers], list(expected))
        jobs = [None if answer.outcome == "existing" else answer.job_id for answer in answers]
        self._number(jobs, numbers)

    def claim(self) -> set[int]:
        """Take all that may run; their numbers."""
        claimed = self.store.claim("default", "worker", limit=500, lease_seconds=30).leases
        found = {self.numbers[lease.job_id]: lease for lease in claimed}
        self.leases |= found
        return set(found)

    def settle(self, number: int, outcome: Outcome) -> None:
        [answer] = self.store.settle([settlement(self.leases[number], outcome)])
        assert answer.accepted

    def _number(self, jobs: Sequence[UUID | None], numbers: Numbers) -> None:
        made = [job for job in jobs if job is not None]
        self.numbers |= dict(zip(made, numbers, strict=True))

    # What a reader sees

    def check(self, spec: Schedules) -> None:
        """All triggers with their fires, and all jobs."""
        triggers = [self._known(each) for tenant in TENANTS for each in self.store.list_triggers(tenant).items]
        same(_by_id(triggers), {each: spec.shown(known) for each, known in spec.of.items()})
        for known in spec.of.values():
            trigger = known.trigger
            found = self.store.list_fires(trigger.tenant_id, trigger.id, limit=1000).items
            same([self._known_fire(fire) for fire in found], spec.shown_fires(known)[:1000])
        self._check_jobs(spec)

    def _check_jobs(self, spec: Schedules) -> None:
        jobs = [job for tenant in TENANTS for job in self.store.list_jobs(tenant, limit=1000).items]
        planned = Counter((job.trigger_id, job.planned_at) for job in jobs)
        assert set(planned.values()) <= {1}, f"a planned time has made two jobs: {planned.most_common(1)}"
        seen = {self.numbers[job.id]: (job.trigger_id, job.planned_at, job.status) for job in jobs}
        same(seen, {job.number: (job.trigger_id, job.planned_at, job.status) for job in spec.jobs})
        asked = {self.numbers[job.id] for job in jobs if job.status == "running" and job.cancel_requested_at}
        same(asked, {job.number for job in spec.jobs if job.status == "running" and job.cancel_requested})

    def _known(self, trigger: Trigger) -> Trigger:
        job = None if trigger.last_job_id is None else self._known_id(trigger.last_job_id)
        return replace(trigger, last_job_id=job, last_reason=_code(trigger.last_reason), created_by={})

    def _known_due(self, due: DueTrigger) -> DueTrigger:
        return replace(due, trigger=self._known(due.trigger), revision=None)

    def _known_fire(self, fire: Fire) -> Fire:
        job = None if fire.job_id is None else self._known_id(fire.job_id)
        return replace(fire, job_id=job, reason=_code(fire.reason))

    def _known_id(self, job: UUID) -> UUID:
        return UUID(int=self.numbers[job])


Numbers = Sequence[int]


def _code(reason: str | None) -> str | None:
    return reason and reason.partition(":")[0]


def _by_id(found: Sequence[Trigger] | Sequence[DueTrigger]) -> dict[UUID, Trigger | DueTrigger]:
    return {each.id if isinstance(each, Trigger) else each.trigger.id: each for each in found}
