"""Triggers: a tenant's rules "when this happens, enqueue that", and what became of each planned time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from jobplane.core.model import Document, Json


class Missed(StrEnum):
    """What to do with planned times that nobody acted on for a minute."""

    LATEST = "latest"
    SKIP = "skip"
    ALL = "all"


class Overlap(StrEnum):
    """What to do when a planned time comes while an earlier job of the same trigger has not ended."""

    ALLOW = "allow"
    SKIP = "skip"
    QUEUE_ONE = "queue_one"
    CANCEL_PREVIOUS = "cancel_previous"


class Action(StrEnum):
    """What the scheduler decides about a schedule that is due."""

    FIRE = "fire"  # make the job of a planned time
    RELEASE = "release"  # make the job of the planned time that waits for the one before
    MISS = "miss"  # pass over planned times
    REFUSE = "refuse"  # record why there is no job
    MOVE = "move"  # only set the next time
    DISABLE = "disable"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rule of a tenant. A schedule has one of `cron_expr`, `interval_seconds` and `once`.

    `next_run_at` is the next planned time, `due_at` the same with its spread. `timezone` None means the tenant's.
    `waiting_at` is a planned time whose job waits for the one before it to end. `late_seconds` is how long the
    scheduler has been due. `version` grows with every change.
    """

    id: UUID
    tenant_id: UUID
    key: str | None
    label: str
    trigger_type: str
    event_name: str | None
    cron_expr: str | None
    interval_seconds: int | None
    once: bool
    timezone: str | None
    starts_at: datetime | None
    ends_at: datetime | None
    definition_key: str
    payload_template: Document
    dedupe_window_seconds: int
    missed: str
    missed_limit: int
    overlap: str
    spread_seconds: int
    pause_after_failures: int | None
    max_attempts: int | None
    priority: int | None
    queue: str | None
    backoff: Document | None
    is_enabled: bool
    disabled_reason: str | None
    next_run_at: datetime | None
    due_at: datetime | None
    waiting_at: datetime | None
    zone_version: str
    last_run_at: datetime | None
    last_fired_at: datetime | None
    last_job_id: UUID | None
    last_outcome: str | None
    last_reason: str | None
    version: int
    created_by: Document
    created_at: datetime
    updated_at: datetime
    tenant_timezone: str
    late_seconds: float | None
    undecodable: tuple[str, ...] = ()

    @property
    def zone(self) -> str:
        """The time zone that counts: its own, else its tenant's."""
        return self.timezone or self.tenant_timezone


@dataclass(frozen=True, slots=True)
class TriggerFilter:
    """Which triggers to list; None: any. `late_seconds`: those that have been due for longer."""

    ids: tuple[UUID, ...] | None = None
    keys: tuple[str, ...] | None = None
    definition_key: str | None = None
    is_enabled: bool | None = None
    late_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Fire:
    """What became of a planned time: fired, skipped, missed, refused or waiting.

    `missed` counts the planned times before it that were passed over. `status` is that of the job now.
    """

    planned_at: datetime
    kind: str
    outcome: str
    fired_at: datetime
    missed: int
    reason: str | None
    job_id: UUID | None
    status: str | None
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TenantClock:
    """The time of the database, and a tenant's time zone and names."""

    now: datetime
    timezone: str
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class DueTrigger:
    """A schedule that has something to do, with its tenant, and the schema and command of its definition.

    `failures` counts how many of its last fires have failed, where it pauses after failures. `is_limited`: an enqueue
    of its tenant may have to wait for another transaction.
    """

    trigger: Trigger
    tenant_slug: str
    tenant_name: str
    arg_schema: Json
    revision: int | None
    failures: int | None
    is_limited: bool
    command: Document | None = None


@dataclass(frozen=True, slots=True)
class DueTriggers:
    """The time of the database, what is due then, and the seconds until something else is."""

    now: datetime
    next_seconds: float | None
    triggers: list[DueTrigger]


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about a schedule that is due. It changes nothing if somebody else was first.

    `missed` counts the planned times that are passed over before this one. `over` says why the schedule ends with it.
    """

    trigger: Trigger
    action: Action
    planned_at: datetime | None = None
    payload: Document | None = None
    reason: str | None = None
    missed: int = 0
    next_run_at: datetime | None = None
    due_at: datetime | None = None
    over: str | None = None


@dataclass(frozen=True, slots=True)
class Fired:
    """The answer to a decision: its outcome, or stale, busy, moved or held."""

    trigger_id: UUID
    outcome: str
    job_id: UUID | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class FiredByHand:
    """The answer for one planned time: fired, existing or refused."""

    planned_at: datetime
    outcome: str
    job_id: UUID | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class PrunedFires:
    """How many rows went, and the last trigger that was looked at, by tenant and id; None: there are no more."""

    removed: int
    last: tuple[UUID, UUID] | None
