"""The specification of schedules: what a store keeps of triggers, fires and their jobs, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from jobplane.core.model import Document, JobStatus, Outcome
from jobplane.core.triggers import Action, Decision, DueTrigger, Fire, Trigger
from tests.clock import START

WAIT: Final = timedelta(seconds=2)  # how often to look whether the job before has ended
DEFINITION: Final = "d"
_ACTIVE: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
_PLAIN: Final = {Action.MISS: "missed", Action.REFUSE: "refused", Action.MOVE: "moved", Action.DISABLE: "moved"}
_TIMES: Final = ("starts_at", "ends_at", "next_run_at", "due_at")


@dataclass
class Made:
    """A job of a trigger. Its number stands for its id, which each store chooses for itself."""

    number: int
    tenant_id: UUID
    trigger_id: UUID
    planned_at: datetime
    status: JobStatus = JobStatus.QUEUED
    cancel_requested: bool = False

    @property
    def id(self) -> UUID:
        return UUID(int=self.number)


@dataclass
class Schedule:
    """A trigger with what became of its planned times.

    `since`: each planned time after this is accounted for. `by_hand`: a person has fired it. `one_rule`: its rules
    for overlap and missed times are those that it began with.
    """

    trigger: Trigger
    enabled_at: datetime
    since: datetime
    by_hand: bool = False
    one_rule: bool = True
    fires: dict[datetime, Fire] = field(default_factory=dict[datetime, Fire])


@dataclass
class Schedules:
    """All schedules of an installation, and the one definition that their jobs run."""

    now: datetime = START
    active: bool = True
    arg_schema: Any = True
    of: dict[UUID, Schedule] = field(default_factory=dict[UUID, Schedule])
    jobs: list[Made] = field(default_factory=list[Made])

    # People

    def create(self, tenant: UUID, document: Document, since: datetime) -> Trigger:
        blank = Trigger(**dict.fromkeys(Trigger.__slots__))  # pyright: ignore[reportArgumentType]
        trigger = replace(blank, tenant_id=tenant, **_DEFAULTS | _values(document))
        made = replace(trigger, version=1, created_at=self.now, updated_at=self.now)
        self.of[made.id] = Schedule(_without_times(made), self.now, since)
        return self.of[made.id].trigger

    def change(self, trigger_id: UUID, changes: Document, since: datetime | None) -> Trigger:
        """`since`: the times are computed again, from then on."""
        known = self.of[trigger_id]
        old = known.trigger
        new = replace(old, **_values(changes), version=old.version + 1, updated_at=self.now)
        if new.is_enabled:
            new = replace(new, disabled_reason=None)
            known.enabled_at = known.enabled_at if old.is_enabled else self.now
            if new.waiting_at is not None:
                new = replace(new, due_at=self._soon(new.due_at))
        known.since = since or known.since
        known.one_rule &= (old.overlap, old.missed) == (new.overlap, new.missed)
        known.trigger = _without_times(new)
        return known.trigger

    def delete(self, trigger_id: UUID) -> None:
        del self.of[trigger_id]

    def fire_by_hand(self, trigger_id: UUID, kind: str, planned: Sequence[datetime]) -> list[str]:
        known = self.of[trigger_id]
        known.by_hand = True
        return [self._fire_once(known, kind, at) for at in planned]

    def _fire_once(self, known: Schedule, kind: str, planned: datetime) -> str:
        if self._made(known, planned):
            return "existing"
        outcome, reason, job = ("fired", None, self._enqueue(known, planned)) if self.active else _INACTIVE
        self._record(known, planned, kind, outcome, reason, job)
        return outcome

    # The scheduler

    def due(self) -> list[DueTrigger]:
        found = [self.shown(known) for known in self.of.values() if _is_due(known.trigger, self.now)]
        return [self._due(trigger) for trigger in found]

    def _due(self, trigger: Trigger) -> DueTrigger:
        slug = f"tenant-{trigger.tenant_id.int}"
        failures = None if trigger.pause_after_failures is None else self._failures(trigger)
        return DueTrigger(trigger, slug, slug, self.arg_schema, None, failures, is_limited=False)

    def next_seconds(self) -> float | None:
        later = [known.trigger.due_at for known in self.of.values() if known.trigger.is_enabled]
        return min(((at - self.now).total_seconds() for at in later if at and at > self.now), default=None)

    def _failures(self, trigger: Trigger) -> int:
        known = self.of[trigger.id]
        counted = [
            fire
            for fire in sorted(known.fires.values(), key=lambda fire: fire.planned_at, reverse=True)
            if (fire.outcome, fire.kind) == ("fired", "schedule") and fire.fired_at > known.enabled_at
        ]
        return sum(self._status(fire) == JobStatus.FAILED for fire in counted[: trigger.pause_after_failures])

    def fire(self, decision: Decision, zone_version: str) -> str:
        known = self.of.get(decision.trigger.id)
        if known is None or not _is_same(known.trigger, decision):
            return "stale"
        outcome, planned = self._outcome(known, decision), decision.planned_at
        reason, job = "overlap" if outcome == "skipped" else decision.reason, None
        if outcome == "fired":
            assert planned is not None
            outcome, reason, job = ("fired", None, self._enqueue(known, planned)) if self.active else _INACTIVE
        if outcome not in ("moved", "held"):
            assert planned is not None
            self._record(known, planned, "schedule", outcome, reason, job, decision.missed)
        self._advance(known, decision, outcome, zone_version, job)
        return outcome

    def _outcome(self, known: Schedule, decision: Decision) -> str:
        if decision.planned_at is not None and self._made(known, decision.planned_at):
            return "moved"
        if decision.action in _PLAIN:
            return _PLAIN[decision.action]
        active = self.active_jobs(known.trigger.id)
        if decision.action is Action.RELEASE:
            return "held" if active else "fired"
        match known.trigger.overlap:
            case "skip" if active:
                return "skipped"
            case "queue_one" if known.trigger.waiting_at is not None:
                return "skipped"
            case "queue_one" if active:
                return "waiting"
            case "cancel_previous":
                for job in active:
                    self._cancel(job)
            case _:
                pass
        return "fired"

    def _advance(self, known: Schedule, decision: Decision, outcome: str, zone_version: str, job: Made | None) -> None:
        old, planned = known.trigger, decision.planned_at
        waiting = old.waiting_at
        if outcome == "waiting":
            waiting = planned
        elif decision.action is Action.DISABLE or (waiting == planned and outcome != "held"):
            waiting = None
        is_on = decision.over is None or waiting is not None
        new = replace(
            old,
            next_run_at=decision.next_run_at,
            due_at=decision.due_at if waiting is None else self._soon(decision.due_at),
            waiting_at=waiting,
            zone_version=zone_version,
            is_enabled=is_on,
            disabled_reason=None if is_on else decision.over,
            version=old.version + (not is_on),
            updated_at=old.updated_at if is_on else self.now,
        )
        if outcome not in ("moved", "held"):
            assert planned is not None
            new = replace(new, last_outcome=outcome, last_reason=known.fires[planned].reason)
        if job is not None:
            new = replace(new, last_run_at=planned, last_fired_at=self.now, last_job_id=job.id)
        known.trigger = new

    def refresh_zones(self, zone_version: str) -> int:
        stale = [
            known
            for known in self.of.values()
            if known.trigger.is_enabled and known.trigger.cron_expr is not None
            if known.trigger.zone_version != zone_version and known.trigger.due_at and known.trigger.due_at > self.now
        ]
        for known in stale:
            known.trigger = replace(known.trigger, due_at=self.now)
        return len(stale)

    # Jobs

    def settle(self, job: Made, outcome: Outcome) -> None:
        if outcome is Outcome.SUCCEEDED:
            job.status = JobStatus.SUCCEEDED
        else:
            job.status = JobStatus.CANCELED if job.cancel_requested else JobStatus.FAILED

    def active_jobs(self, trigger_id: UUID) -> list[Made]:
        return [job for job in self.jobs if job.trigger_id == trigger_id and job.status in _ACTIVE]

    def _cancel(self, job: Made) -> None:
        if job.status is JobStatus.QUEUED:
            job.status = JobStatus.CANCELED
        else:
            job.cancel_requested = True

    def _enqueue(self, known: Schedule, planned: datetime) -> Made:
        job = Made(len(self.jobs) + 1, known.trigger.tenant_id, known.trigger.id, planned)
        self.jobs.append(job)
        return job

    # Fires

    def _record(
        self,
        known: Schedule,
        planned: datetime,
        kind: str,
        outcome: str,
        reason: str | None,
        job: Made | None,
        missed: int = 0,
    ) -> None:
        before = known.fires[planned].missed if planned in known.fires else 0
        why, made = reason and reason.partition(":")[0], None if job is None else job.id
        known.fires[planned] = Fire(planned, kind, outcome, self.now, before + missed, why, made, None)

    def _made(self, known: Schedule, planned: datetime) -> bool:
        return planned in known.fires and known.fires[planned].job_id is not None

    def _status(self, fire: Fire) -> JobStatus | None:
        return None if fire.job_id is None else self.jobs[fire.job_id.int - 1].status

    # What a reader sees

    def shown(self, known: Schedule) -> Trigger:
        trigger = known.trigger
        is_late = trigger.is_enabled and trigger.due_at is not None and trigger.due_at < self.now
        late = (self.now - trigger.due_at).total_seconds() if is_late and trigger.due_at else None
        return replace(trigger, late_seconds=late)

    def shown_fires(self, known: Schedule) -> list[Fire]:
        newest = sorted(known.fires.values(), key=lambda fire: fire.planned_at, reverse=True)
        return [replace(fire, status=self._status(fire)) for fire in newest]

    def _soon(self, due_at: datetime | None) -> datetime:
        return min(due_at or self.now + WAIT, self.now + WAIT)


_INACTIVE: Final = ("refused", "definition_inactive", None)
_DEFAULTS: Final[dict[str, Any]] = {
    "trigger_type": "schedule",
    "once": False,
    "payload_template": {},
    "dedupe_window_seconds": 300,
    "created_by": {},
    "tenant_timezone": "UTC",
    "undecodable": (),
}


def _values(document: Document) -> dict[str, Any]:
    """The fields of a trigger that a document names."""
    read: dict[str, Any] = {
        name: datetime.fromisoformat(str(value)) if name in _TIMES and value is not None else value
        for name, value in document.items()
    }
    return read | {name: UUID(read[name]) for name in ("id",) if name in read}


def _without_times(trigger: Trigger) -> Trigger:
    """A trigger that is off has nothing to do."""
    return trigger if trigger.is_enabled else replace(trigger, next_run_at=None, due_at=None, waiting_at=None)


def _is_due(trigger: Trigger, now: datetime) -> bool:
    return trigger.is_enabled and trigger.due_at is not None and trigger.due_at <= now


def _is_same(now: Trigger, decision: Decision) -> bool:
    read = decision.trigger
    is_next = now.is_enabled and (now.version, now.next_run_at) == (read.version, read.next_run_at)
    return is_next and (decision.action is not Action.RELEASE or now.waiting_at == decision.planned_at)
