"""Triggers of a tenant: what every caller may do with them, over any store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

from jobplane.control.access import Access, refuse_narrowed
from jobplane.control.paging import walk
from jobplane.control.places import inside
from jobplane.control.planning import plan, template_of, timetable_in, timetable_of, values, written
from jobplane.control.trigger_models import DEFAULTS, TIMES, judge_changes, judge_new, judge_timetable
from jobplane.core.bounds import show
from jobplane.core.definitions import merged
from jobplane.core.errors import (
    Conflict,
    Invalid,
    InvalidPayload,
    JobplaneError,
    RevisionMismatch,
    TriggerNotFound,
    UnknownDefinition,
    UnknownQueue,
)
from jobplane.core.ids import new_id
from jobplane.core.judging import payload_judge
from jobplane.core.model import Definition, Document
from jobplane.core.paging import Page
from jobplane.core.redaction import restore
from jobplane.core.references import require_references
from jobplane.core.timetable import PlannedTime, Simulation, Timetable, in_words, preview, simulate
from jobplane.core.triggers import Fire, FiredByHand, TenantClock, Trigger, TriggerFilter
from jobplane.store.verbs.operator import ListDefinitions
from jobplane.store.verbs.triggers import (
    ANY,
    ChangeTrigger,
    CreateTrigger,
    DeleteTrigger,
    FireByHand,
    ListAllTriggers,
    ListFires,
    ListTriggers,
    ReadClock,
)
from jobplane.store.verbs.verb import Verb

MOST_BACKFILLED: Final = 1000
OLDEST_BACKFILL: Final = timedelta(days=400)  # fires are kept so long, and without them a time could be fired twice
_BATCH: Final = 100
_TRIES: Final = 5
_MICROSECOND: Final = timedelta(microseconds=1)
_FIRST_YEAR, _LAST_YEAR = 1901, 8998
_YEAR: Final = timedelta(days=365)
_Answer = TypeVar("_Answer")
_MERGED: Final = ("payload_template", "backoff")


@dataclass(frozen=True, slots=True)
class SavedTrigger:
    """A trigger that was saved, with warnings about it."""

    trigger: Trigger
    warnings: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Preview:
    """The next planned times of a timetable, and what it says in words."""

    words: str
    timezone: str
    times: list[PlannedTime]


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a timetable would have done from `start` to `until`."""

    words: str
    timezone: str
    start: datetime
    until: datetime
    simulation: Simulation

    @property
    def detail(self) -> str:
        """One sentence."""
        fires, odd = self.simulation.count, len(self.simulation.odd)
        at_odd_hours = "never at an odd hour" if not odd else f"{_times(odd)} at an odd hour, because of a clock change"
        return f"Would have fired {_times(fires)}, {at_odd_hours}."


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


class Triggers:
    """The triggers of one tenant."""

    def __init__(self, access: Access, tenant: UUID) -> None:
        self._access = access
        self._tenant = tenant

    async def create(self, document: Document) -> SavedTrigger:
        """Make a trigger; raises Invalid, UnknownDefinition and AlreadyExists."""
        self._require("createTrigger")
        given: dict[str, Any] = {**judge_new(document)}
        clock = await self._clock()
        if given.get("once") and given.get("starts_at") is None:
            given["starts_at"] = written(clock.now)
        whole: dict[str, Any] = {**DEFAULTS, **given}
        trigger_id = new_id()
        template_of(whole["payload_template"])
        await self._refuse_secrets(whole["definition_key"], whole["payload_template"])
        times = self._plan(whole, clock, trigger_id)
        verb = CreateTrigger(self._tenant, {**given, **times, "id": str(trigger_id)})
        return await self._saved(await self._save("createTrigger", verb, given), clock)

    async def get(self, trigger: UUID | str) -> Trigger:
        """One trigger by its id or its key; raises TriggerNotFound, as all calls that name one."""
        return await self._find(trigger, "getTrigger")

    async def list(
        self, where: TriggerFilter = ANY, *, limit: int = 100, before: UUID | None = None
    ) -> Page[Trigger, UUID]:
        """A page of triggers, the newest first."""
        self._require("listTriggers")
        return await self._access.run("listTriggers", ListTriggers(self._tenant, where, limit, before))

    def walk(self, where: TriggerFilter = ANY) -> AsyncIterator[Trigger]:
        """All triggers, a page at a time."""
        return walk(lambda before: self.list(where, before=before))

    async def change(self, trigger: UUID | str, changes: Document, *, version: int | None = None) -> SavedTrigger:
        """Change a trigger by a JSON merge patch. A change of its times computes the next one again, from now on.

        Raises RevisionMismatch where it has another version than the one given, and TriggerNotFound.
        """
        return await self._change("changeTrigger", trigger, judge_changes(changes), version)

    async def enable(self, trigger: UUID | str, *, version: int | None = None) -> SavedTrigger:
        """Let a trigger fire again. The next time is computed from now on: what was due meanwhile does not fire."""
        return await self._change("enableTrigger", trigger, {"is_enabled": True}, version)

    async def disable(
        self, trigger: UUID | str, *, reason: str | None = None, version: int | None = None
    ) -> SavedTrigger:
        """Let a trigger not fire any more. Its history stays."""
        changes = judge_changes({"is_enabled": False, "disabled_reason": reason})
        return await self._change("disableTrigger", trigger, changes, version)

    async def delete(self, trigger: UUID | str, *, version: int | None = None) -> None:
        """Delete a trigger with its fires. Its jobs stay."""
        found = await self._find(trigger, "deleteTrigger")
        await self._access.run("deleteTrigger", DeleteTrigger(self._tenant, found.id, version))

    async def fires(
        self,
        trigger: UUID | str,
        *,
        outcomes: Sequence[str] | None = None,
        limit: int = 100,
        before: datetime | None = None,
    ) -> Page[Fire, datetime]:
        """What became of a trigger's planned times, the newest first; raises TriggerNotFound."""
        found = await self._find(trigger, "listFires")
        return await self._access.peek(ListFires(self._tenant, found.id, outcomes, limit, before))

    async def walk_fires(self, trigger: UUID | str, *, outcomes: Sequence[str] | None = None) -> AsyncIterator[Fire]:
        """All of these, a page at a time."""
        found = await self._find(trigger, "listFires")
        async for fire in walk(lambda before: self.fires(found.id, outcomes=outcomes, before=before)):
            yield fire

    async def fire(self, trigger: UUID | str) -> FiredByHand:
        """Make a job of a trigger now, whatever its timetable and its overlap rule say; raises why it is refused."""
        fired = await self._repeat(lambda: self._fire(trigger))
        if fired.outcome == "refused":
            raise Invalid(f"The trigger made no job. {fired.reason}", reason=fired.reason)
        return fired

    async def _fire(self, trigger: UUID | str) -> FiredByHand:
        found, clock = await self._find(trigger, "fireTrigger"), await self._clock()
        definition = await self._definition(found)
        payload = self._payload(found, clock.now, clock, definition)
        verb = FireByHand(self._tenant, found.id, found.version, "manual", [clock.now], [payload])
        [fired] = await self._access.run("fireTrigger", verb)
        return fired

    async def backfill(
        self, trigger: UUID | str, start: datetime, until: datetime, *, dry_run: bool = False
    ) -> list[FiredByHand]:
        """Make the jobs of planned times from `start` to `until` that made none; each at most once.

        A dry run answers the same and makes none. At most 1,000 planned times of the last 400 days.
        """
        found, clock = await self._find(trigger, "backfillTrigger"), await self._clock()
        planned = self._window(found, start, until, clock.now)
        definition = await self._definition(found)
        payloads = [self._payload(found, at, clock, definition) for at in planned]
        if dry_run:
            return await self._foretell(found, planned)
        answers: list[FiredByHand] = []
        for at in range(0, len(planned), _BATCH):
            part = slice(at, at + _BATCH)
            verb = FireByHand(self._tenant, found.id, found.version, "backfill", planned[part], payloads[part])
            try:
                answers += await self._access.run("backfillTrigger", verb)
            except RevisionMismatch:
                message = "The trigger was changed during the backfill. Repeat it: no job is made twice."
                raise Conflict(message) from None
        return answers

    async def preview(self, trigger: UUID | str, *, count: int = 5) -> Preview:
        """The next planned times of a stored trigger."""
        found, clock = await self._find(trigger, "previewTrigger"), await self._clock()
        return _preview(timetable_of(found), clock.now, count)

    async def preview_document(self, document: Document, *, count: int = 5) -> Preview:
        """The next planned times of a timetable that is being typed; raises InvalidTimetable."""
        self._require("previewTrigger")
        clock = await self._clock()
        return _preview(self._typed(document, clock), clock.now, count)

    async def simulate(
        self, trigger: UUID | str, *, start: datetime | None = None, until: datetime | None = None
    ) -> Simulated:
        """What a stored trigger would have done, by default over the last 365 days."""
        found, clock = await self._find(trigger, "simulateTrigger"), await self._clock()
        return _simulate(timetable_of(found), clock.now, start, until)

    async def simulate_document(
        self, document: Document, *, start: datetime | None = None, until: datetime | None = None
    ) -> Simulated:
        """What a timetable that is being typed would have done, by default over the last 365 days."""
        self._require("simulateTrigger")
        clock = await self._clock()
        return _simulate(self._typed(document, clock), clock.now, start, until)

    def _require(self, operation: str) -> None:
        self._access.caller.require(operation)
        refuse_narrowed(self._access.caller)

    async def _find(self, trigger: UUID | str, operation: str) -> Trigger:
        self._require(operation)
        for found in (await self._access.peek(ListTriggers(self._tenant, _named(trigger), 1))).items:
            return found
        raise TriggerNotFound(f"There is no trigger {show(str(trigger), 200)}. Check its id or key.")

    async def _clock(self) -> TenantClock:
        return await self._access.peek(ReadClock(self._tenant))

    async def _change(
        self, operation: str, trigger: UUID | str, changes: Document, version: int | None
    ) -> SavedTrigger:
        """Without a version the change is made to the one that is there, also if it changes meanwhile."""
        if version is None:
            return await self._repeat(lambda: self._change_once(operation, trigger, changes, None))
        return await self._change_once(operation, trigger, changes, version)

    async def _change_once(
        self, operation: str, trigger: UUID | str, changes: Document, version: int | None
    ) -> SavedTrigger:
        old = await self._find(trigger, operation)
        if version is not None and version != old.version:
            message = f"Trigger {old.id} has version {old.version}, not {version}."
            raise RevisionMismatch(f"{message} Read it again, and repeat the change.", revision=old.version)
        return await self._write(operation, old, changes)

    async def _repeat(self, act: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Read and write again if the trigger was changed between the two."""
        for _ in range(_TRIES - 1):
            try:
                return await act()
            except RevisionMismatch:
                continue
        return await act()

    async def _write(self, operation: str, old: Trigger, changes: Document) -> SavedTrigger:
        clock = await self._clock()
        whole: dict[str, Any] = {name: _stored(getattr(old, name)) for name in DEFAULTS}
        new: dict[str, Any] = {
            name: merged(getattr(old, name), value) if name in _MERGED else value for name, value in changes.items()
        }
        if "payload_template" in new:  # a caller was shown `***` for a secret
            new["payload_template"] = restore(new["payload_template"], old.payload_template)
        whole |= new
        template_of(whole["payload_template"])
        if "payload_template" in new or "definition_key" in new:
            key = new.get("definition_key", old.definition_key)
            await self._refuse_secrets(key, whole["payload_template"])
        if any(name in new and new[name] != _stored(getattr(old, name)) for name in TIMES):
            _refuse_again(old, whole)
            new |= self._plan(whole, clock, old.id)
        verb = ChangeTrigger(self._tenant, old.id, new, old.version)
        return await self._saved(await self._save(operation, verb, new), clock)

    async def _refuse_secrets(self, definition_key: str, template: Document) -> None:
        """Raise SecretInPayload where a template has a plain value for a secret: the trigger would keep it."""
        for definition in (await self._access.peek(ListDefinitions([definition_key]))).items:
            with inside("/payload_template"):
                require_references(definition.arg_schema, template)

    async def _save(self, operation: str, verb: Verb[Trigger], given: Document) -> Trigger:
        """Save a trigger; a definition or a queue that there is not is answered with the nearest one."""
        try:
            return await self._access.run(operation, verb)
        except UnknownDefinition as error:
            raise await self._access.explain(error, given.get("definition_key")) from None
        except UnknownQueue as error:
            raise await self._access.explain(error, given.get("queue")) from None

    def _plan(self, whole: dict[str, Any], clock: TenantClock, trigger_id: UUID) -> Document:
        """The times to save. A trigger that is off has none, but its timetable must be right all the same."""
        timetable = timetable_in(whole, clock.timezone)
        return plan(timetable, trigger_id, whole["spread_seconds"], clock.now).document if whole["is_enabled"] else {}

    def _typed(self, document: Document, clock: TenantClock) -> Timetable:
        given: dict[str, Any] = {**judge_timetable(document)}
        if given.get("once") and given.get("starts_at") is None:
            given["starts_at"] = written(clock.now + timedelta(seconds=1))
        return timetable_in(given, clock.timezone)

    def _window(self, found: Trigger, start: datetime, until: datetime, now: datetime) -> list[datetime]:
        _require_order(start, until)
        if start < now - OLDEST_BACKFILL:
            raise Invalid("A backfill can start at most 400 days ago. Choose a later start.", pointer="/start")
        timetable = timetable_of(found)
        planned = timetable.between(start - _MICROSECOND, min(until, now), MOST_BACKFILLED + 1)
        if len(planned) > MOST_BACKFILLED:
            message = (
                f"The period has more than {MOST_BACKFILLED} planned times. Choose a later start, or an earlier until."
            )
            raise Invalid(message, pointer="/until")
        return planned

    async def _foretell(self, found: Trigger, planned: Sequence[datetime]) -> list[FiredByHand]:
        there: dict[datetime, UUID] = {}
        before = planned[-1] + _MICROSECOND if planned else None
        while before is not None and before > planned[0]:
            page = await self._access.peek(ListFires(self._tenant, found.id, None, 1000, before))
            there |= {fire.planned_at: fire.job_id for fire in page.items if fire.job_id is not None}
            before = page.next_cursor
        return [FiredByHand(at, "existing" if at in there else "fired", there.get(at), None) for at in planned]

    async def _saved(self, trigger: Trigger, clock: TenantClock) -> SavedTrigger:
        return SavedTrigger(trigger, await self._warnings(trigger, clock))

    async def _warnings(self, trigger: Trigger, clock: TenantClock) -> list[str]:
        """Each fire would be refused and recorded: a trigger may be saved before its definition is right."""
        try:
            definition = await self._definition(trigger)
            self._payload(trigger, trigger.next_run_at or clock.now, clock, definition)
        except InvalidPayload as error:
            return [f"The payload does not fit definition {show(trigger.definition_key, 200)}. {error.message}"]
        except JobplaneError as error:
            return [error.message]
        if definition.active:
            return []
        return [f"Definition {show(trigger.definition_key, 200)} is not active. The trigger makes no jobs until it is."]

    async def _definition(self, trigger: Trigger) -> Definition:
        for found in (await self._access.peek(ListDefinitions([trigger.definition_key]))).items:
            return found
        key = show(trigger.definition_key, 200)
        raise UnknownDefinition(f"Definition {key} no longer exists. Create it again, or choose another.")

    def _payload(self, trigger: Trigger, planned_at: datetime, clock: TenantClock, definition: Definition) -> Document:
        """The payload for a planned time; raises TemplateRefused and InvalidPayload."""
        found = values(trigger, planned_at, clock.now, (clock.slug, clock.name))
        payload = template_of(trigger.payload_template).render(found)
        payload_judge(definition).check(payload)
        return payload


class AllTriggers:
    """The triggers of all tenants, for super admins."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(
        self, where: TriggerFilter = ANY, *, limit: int = 100, before: UUID | None = None
    ) -> Page[Trigger, UUID]:
        """A page of triggers, the newest first."""
        self._access.caller.require_all_tenants()
        return await self._access.run("listTriggers", ListAllTriggers(where, limit, before))

    async def find(self, named: str) -> Trigger:
        """A trigger of whichever tenant by the text of its id, or by a key that one tenant alone has."""
        found = (await self.list(_named(named), limit=2)).items
        if len(found) > 1:
            raise Invalid(
                f"Several tenants have a trigger with the key {show(named, 200)}. Name the tenant, or the id."
            )
        if not found:
            raise TriggerNotFound(f"There is no trigger {show(named, 200)}. Check its id or key.")
        return found[0]

    def walk(self, where: TriggerFilter = ANY) -> AsyncIterator[Trigger]:
        """All triggers, a page at a time."""
        return walk(lambda before: self.list(where, before=before))


def _named(trigger: UUID | str) -> TriggerFilter:
    try:
        return TriggerFilter(ids=(trigger if isinstance(trigger, UUID) else UUID(trigger),))
    except ValueError:
        return TriggerFilter(keys=(str(trigger),))


def _stored(value: object) -> object:
    return written(value) if isinstance(value, datetime) else value


def _refuse_again(old: Trigger, whole: dict[str, Any]) -> None:
    """A single time fires once ever: to fire again it needs another time."""
    has_run = old.last_run_at is not None and whole["starts_at"] == _stored(old.last_run_at)
    if whole["once"] and whole["is_enabled"] and has_run:
        message = "The trigger fires once and has fired. Give it another starts_at to let it fire again."
        raise Invalid(message, pointer="/starts_at")


def _require_year(at: datetime, name: str) -> None:
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        raise Invalid(f"Invalid {name} {at}. Write a year from {_FIRST_YEAR} to {_LAST_YEAR}.", pointer=f"/{name}")


def _require_order(start: datetime, until: datetime) -> None:
    if until < start:
        raise Invalid("The until is before start. Write a later one.", pointer="/until")


def _preview(timetable: Timetable, now: datetime, count: int) -> Preview:
    return Preview(in_words(timetable), timetable.timezone, preview(timetable, now, min(max(count, 1), 100)))


def _simulate(timetable: Timetable, now: datetime, start: datetime | None, until: datetime | None) -> Simulated:
    until = until or now
    _require_year(until, "until")
    start = start or until - _YEAR
    _require_year(start, "start")
    _require_order(start, until)
    endless = replace(timetable, starts_at=None if not timetable.once else timetable.starts_at, ends_at=None)
    return Simulated(in_words(timetable), timetable.timezone, start, until, simulate(endless, start, until))
