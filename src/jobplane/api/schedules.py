"""`jp.schedules`: the schedules of a tenant."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final, Literal, TypedDict, Unpack, cast
from uuid import UUID

from jobplane.api.calls import Calls
from jobplane.api.handles import JobHandle
from jobplane.api.hints import explain_unknown_option
from jobplane.api.job import Enqueuer
from jobplane.api.options import Tenant
from jobplane.api.twins import awaited, awaited_iteration, blocking, iterated
from jobplane.control.triggers import Preview, SavedTrigger, Simulated, Triggers
from jobplane.core.errors import Invalid
from jobplane.core.model import Backoff, Document
from jobplane.core.retry import BackoffName
from jobplane.core.triggers import Fire, FiredByHand, Trigger, TriggerFilter

log: Final = logging.getLogger("jobplane.schedules")
AnyTrigger = Trigger | UUID | str
AnyDefinition = Enqueuer[...] | str


class TimetableFields(TypedDict, total=False):
    """When a schedule fires: one of `cron_expr`, `interval_seconds` and `once`."""

    cron_expr: str | None
    interval_seconds: int | None
    once: bool
    timezone: str | None
    starts_at: datetime | None
    ends_at: datetime | None


class ScheduleFields(TimetableFields, total=False):
    """What may be said of a schedule beside its label, its definition and its payload."""

    key: str | None
    missed: Literal["latest", "skip", "all"]
    missed_limit: int
    overlap: Literal["allow", "skip", "queue_one", "cancel_previous"]
    spread_seconds: int
    pause_after_failures: int | None
    max_attempts: int | None
    priority: int | None
    queue: str | None
    backoff: Backoff | BackoffName | Document | None
    is_enabled: bool


class ScheduleChanges(ScheduleFields, total=False):
    """What may be changed; None takes away what may be missing."""

    label: str
    definition: AnyDefinition
    payload: Document


class ScheduleCalls:
    """The calls of `jp.schedules`, each written once."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def create(
        self,
        label: str,
        definition: AnyDefinition,
        payload: Document | None = None,
        *,
        tenant: Tenant | None = None,
        **fields: Unpack[ScheduleFields],
    ) -> Trigger:
        """Make a schedule; raises InvalidTimetable, InvalidTemplate, UnknownDefinition and AlreadyExists.

        Texts of the payload may have `{{ … }}`. What would keep its jobs from being made is logged as a warning.
        """
        _refuse_unknown(fields, ScheduleFields.__annotations__, "label", "definition", "payload", "tenant")
        document = _document({**fields, "label": label, "definition": definition})
        given = {} if payload is None else {"payload_template": payload}
        return _told(await (await self._triggers(tenant)).create({**document, **given}))

    async def get(self, schedule: AnyTrigger, *, tenant: Tenant | None = None) -> Trigger:
        """A schedule by its id or its key; raises TriggerNotFound, as all calls that name one."""
        return await (await self._triggers(tenant)).get(_named(schedule))

    async def list(
        self,
        *,
        definition: AnyDefinition | None = None,
        is_enabled: bool | None = None,
        late_seconds: float | None = None,
        tenant: Tenant | None = None,
    ) -> AsyncIterator[Trigger]:
        """Schedules, the newest first. `late_seconds`: those that have been due for longer."""
        where = TriggerFilter(
            definition_key=None if definition is None else _key(definition),
            is_enabled=is_enabled,
            late_seconds=late_seconds,
        )
        async for trigger in (await self._triggers(tenant)).walk(where):
            yield trigger

    async def update(
        self,
        schedule: AnyTrigger,
        *,
        version: int | None = None,
        tenant: Tenant | None = None,
        **changes: Unpack[ScheduleChanges],
    ) -> Trigger:
        """Change a schedule. What is left out stays, and a payload is merged into the one that is there.

        A change of its times computes the next one again. Raises RevisionMismatch where it has another `version`.
        """
        _refuse_unknown(changes, ScheduleChanges.__annotations__, "version", "tenant")
        triggers = await self._triggers(tenant)
        return _told(await triggers.change(_named(schedule), _document(changes), version=version))

    async def enable(self, schedule: AnyTrigger, *, tenant: Tenant | None = None) -> Trigger:
        """Let a schedule fire again, from now on. What was due meanwhile does not fire."""
        return _told(await (await self._triggers(tenant)).enable(_named(schedule)))

    async def disable(
        self, schedule: AnyTrigger, *, reason: str | None = None, tenant: Tenant | None = None
    ) -> Trigger:
        """Let a schedule not fire any more. Its history stays."""
        return _told(await (await self._triggers(tenant)).disable(_named(schedule), reason=reason))

    async def delete(self, schedule: AnyTrigger, *, version: int | None = None, tenant: Tenant | None = None) -> None:
        """Delete a schedule with the record of its fires. Its jobs stay."""
        await (await self._triggers(tenant)).delete(_named(schedule), version=version)

    async def preview(
        self,
        schedule: AnyTrigger | None = None,
        *,
        count: int = 5,
        tenant: Tenant | None = None,
        **timetable: Unpack[TimetableFields],
    ) -> Preview:
        """The next planned times of a schedule, or of a timetable; raises InvalidTimetable."""
        _refuse_unknown(timetable, TimetableFields.__annotations__, "count", "tenant")
        triggers = await self._triggers(tenant)
        if _is_stored(schedule, timetable):
            return await triggers.preview(_named(schedule), count=count)
        return await triggers.preview_document(_document(timetable), count=count)

    async def simulate(
        self,
        schedule: AnyTrigger | None = None,
        *,
        start: datetime | None = None,
        until: datetime | None = None,
        tenant: Tenant | None = None,
        **timetable: Unpack[TimetableFields],
    ) -> Simulated:
        """What a schedule, or a timetable, would have done; by default over the last 365 days."""
        _refuse_unknown(timetable, TimetableFields.__annotations__, "start", "until", "tenant")
        triggers = await self._triggers(tenant)
        if _is_stored(schedule, timetable):
            return await triggers.simulate(_named(schedule), start=start, until=until)
        return await triggers.simulate_document(_document(timetable), start=start, until=until)

    async def fire(self, schedule: AnyTrigger, *, tenant: Tenant | None = None) -> JobHandle:
        """Make a job of a schedule now, whatever its timetable and its overlap rule say; raises why it is refused."""
        triggers = await self._triggers(tenant)
        found = await triggers.get(_named(schedule))
        fired = await triggers.fire(found.id)
        return JobHandle(cast("UUID", fired.job_id), found.tenant_id, found.definition_key, "created")

    async def backfill(
        self,
        schedule: AnyTrigger,
        start: datetime,
        until: datetime,
        *,
        dry_run: bool = False,
        tenant: Tenant | None = None,
    ) -> Sequence[FiredByHand]:
        """Make the jobs of planned times from `start` to `until` that made none, each at most once.

        A dry run answers the same and makes none. At most 1,000 planned times of the last 400 days.
        """
        triggers = await self._triggers(tenant)
        return await triggers.backfill(_named(schedule), start, until, dry_run=dry_run)

    async def fires(
        self, schedule: AnyTrigger, *, outcomes: Sequence[str] | None = None, tenant: Tenant | None = None
    ) -> AsyncIterator[Fire]:
        """What became of the planned times of a schedule, the newest first."""
        async for fire in (await self._triggers(tenant)).walk_fires(_named(schedule), outcomes=outcomes):
            yield fire

    async def _triggers(self, tenant: Tenant | None) -> Triggers:
        return (await self._calls.plane(tenant)).triggers


class Schedules:
    """The schedules of a program's tenant, or of the one that a call names."""

    def __init__(self, blocking_calls: Calls, awaited_calls: Calls) -> None:
        self.blocking_calls = ScheduleCalls(blocking_calls)
        self.awaited_calls = ScheduleCalls(awaited_calls)

    # Each is written once, in ScheduleCalls.
    create = blocking(ScheduleCalls.create)
    create_async = awaited(ScheduleCalls.create)
    get = blocking(ScheduleCalls.get)
    get_async = awaited(ScheduleCalls.get)
    update = blocking(ScheduleCalls.update)
    update_async = awaited(ScheduleCalls.update)
    enable = blocking(ScheduleCalls.enable)
    enable_async = awaited(ScheduleCalls.enable)
    disable = blocking(ScheduleCalls.disable)
    disable_async = awaited(ScheduleCalls.disable)
    delete = blocking(ScheduleCalls.delete)
    delete_async = awaited(ScheduleCalls.delete)
    preview = blocking(ScheduleCalls.preview)
    preview_async = awaited(ScheduleCalls.preview)
    simulate = blocking(ScheduleCalls.simulate)
    simulate_async = awaited(ScheduleCalls.simulate)
    fire = blocking(ScheduleCalls.fire)
    fire_async = awaited(ScheduleCalls.fire)
    backfill = blocking(ScheduleCalls.backfill)
    backfill_async = awaited(ScheduleCalls.backfill)
    list = iterated(ScheduleCalls.list)
    list_async = awaited_iteration(ScheduleCalls.list)
    fires = iterated(ScheduleCalls.fires)
    fires_async = awaited_iteration(ScheduleCalls.fires)


def _refuse_unknown(given: Mapping[str, object], options: Iterable[str], *more: str) -> None:
    """Raise Invalid for keyword arguments that a call does not have."""
    known = [*more, *options]
    if unknown := given.keys() - set(known):
        raise Invalid(explain_unknown_option(unknown, known))


def _document(given: Mapping[str, Any]) -> dict[str, Any]:
    """As the REST API has it."""
    names = {"definition": "definition_key", "payload": "payload_template"}
    return {names.get(name, name): _plain(name, value) for name, value in given.items()}


def _plain(name: str, value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case Backoff():
            return asdict(value)
        case _:
            return _key(value) if name == "definition" else value


def _key(definition: AnyDefinition) -> str:
    return definition if isinstance(definition, str) else definition.key


def _named(schedule: AnyTrigger | None) -> UUID | str:
    if schedule is None:
        raise Invalid("Name a schedule, or give a timetable: cron_expr, interval_seconds or once.")
    return schedule.id if isinstance(schedule, Trigger) else schedule


def _is_stored(schedule: AnyTrigger | None, timetable: Mapping[str, Any]) -> bool:
    if schedule is not None and timetable:
        raise Invalid("Name a schedule or give a timetable, not both.")
    return not timetable


def _told(saved: SavedTrigger) -> Trigger:
    for warning in saved.warnings:
        log.warning("Schedule %s: %s", saved.trigger.id, warning)
    return saved.trigger
