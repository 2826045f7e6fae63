"""The verbs of triggers: those of their tenant, of an operator, and of the scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.core.model import Document
from jobplane.core.paging import Page
from jobplane.core.triggers import (
    Decision,
    DueTriggers,
    Fire,
    Fired,
    FiredByHand,
    PrunedFires,
    TenantClock,
    Trigger,
    TriggerFilter,
)
from jobplane.store.verbs.verb import EngineVerb, JobVerb, OperatorVerb

ANY: Final = TriggerFilter()


@dataclass(frozen=True, slots=True)
class ReadClock(JobVerb[TenantClock]):
    """The time of the database, with the time zone and the names of the tenant."""

    tenant: UUID


@dataclass(frozen=True, slots=True)
class CreateTrigger(JobVerb[Trigger]):
    """Make a trigger. The document has its times as the caller has computed them."""

    tenant: UUID
    document: Document


@dataclass(frozen=True, slots=True)
class ChangeTrigger(JobVerb[Trigger]):
    """Change a trigger; None takes a value away. `version`: refuse where it has another one by now."""

    tenant: UUID
    trigger_id: UUID
    changes: Document
    version: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteTrigger(JobVerb[None]):
    """Delete a trigger with its fires. Its jobs stay, and keep its id."""

    tenant: UUID
    trigger_id: UUID
    version: int | None = None


@dataclass(frozen=True, slots=True)
class ListTriggers(JobVerb[Page[Trigger, UUID]]):
    """Triggers of the tenant, the newest first. `before` is the cursor of the page before."""

    tenant: UUID
    where: TriggerFilter = ANY
    limit: int = 100
    before: UUID | None = None


@dataclass(frozen=True, slots=True)
class ListFires(JobVerb[Page[Fire, datetime]]):
    """What became of a trigger's planned times, the newest first."""

    tenant: UUID
    trigger_id: UUID
    outcomes: Sequence[str] | None = None
    limit: int = 100
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class FireByHand(JobVerb[list[FiredByHand]]):
    """Make jobs of a trigger because a person asks: now, or for planned times of the past that made none.

    At most 1,000 planned times, with a payload for each. The overlap rule does not count here.
    """

    tenant: UUID
    trigger_id: UUID
    version: int
    kind: str
    planned: Sequence[datetime]
    payloads: Sequence[Document]


@dataclass(frozen=True, slots=True)
class ListAllTriggers(OperatorVerb[Page[Trigger, UUID]]):
    """Triggers of all tenants, the newest first."""

    where: TriggerFilter = ANY
    limit: int = 100
    before: UUID | None = None


@dataclass(frozen=True, slots=True)
class FindDueTriggers(EngineVerb[DueTriggers]):
    """The schedules that have something to do, and when the next one has.

    Up to `limit` that are due since a minute or less, and up to `late_limit` that are late, each the longest due first.
    """

    limit: int = 100
    late_limit: int = 100


@dataclass(frozen=True, slots=True)
class FireTriggers(EngineVerb[list[Fired]]):
    """Carry out decisions, one for each schedule: job, record and next time in one transaction.

    Each planned time makes one job at most. `by` is the scheduler that asks.
    """

    decisions: Sequence[Decision]
    zone_version: str
    by: str


@dataclass(frozen=True, slots=True)
class RefreshZones(EngineVerb[int]):
    """Make the scheduler compute again what came from other rules of time zones; how many schedules."""

    zone_version: str
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class PruneFires(EngineVerb[PrunedFires]):
    """Remove the record of planned times beyond the newest 10,000 of a trigger and older than 400 days.

    It looks at `limit` triggers after one, given by tenant and id. A dry run only counts.
    """

    after: tuple[UUID, UUID] | None = None
    limit: int = 100
    dry_run: bool = False
