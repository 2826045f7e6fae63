"""The scheduler's part in schedules: look at what is due, decide, and fire each planned time once.

Any number of processes may do it. A decision carries the version and the planned time that it was made from, and
changes nothing where somebody else was first.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final
from uuid import UUID

from jobplane.control.planning import template_of, timetable_of, values
from jobplane.core.errors import InvalidTimetable, JobplaneError, StoreBusy, StoreUnavailable, TenantBusy
from jobplane.core.judging import judge_for
from jobplane.core.model import Document
from jobplane.core.template import Template
from jobplane.core.timetable import TZDATA_VERSION, Timetable, spread
from jobplane.core.triggers import Action, Decision, DueTrigger, Fired, Missed, Trigger
from jobplane.store.base import EngineStore
from jobplane.store.verbs.triggers import FindDueTriggers, FireTriggers, RefreshZones

log = logging.getLogger("jobplane.scheduler")

LATE: Final = timedelta(seconds=60)  # a planned time that nobody acted on for so long counts as missed
BATCH: Final = 100
CATCH_UP: Final = 50  # late fires a second, so that a long downtime does not become a storm
BUSY_SECONDS: Final = 0.25
_TICK: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Round:
    """The answers of one look at the due schedules, and the seconds until the next look."""

    fired: list[Fired]
    pause: float


class Firing:
    """Fires what is due. `tick_seconds` bounds how long it goes without a look; it wakes for the next due time."""

    def __init__(self, store: EngineStore, *, by: str, tick_seconds: float = 15.0) -> None:
        self._store = store
        self._by = by
        self._tick = tick_seconds
        self._allowance = CATCH_UP * 1.0
        self._counted_at = time.monotonic()
        self._has_zones = False

    async def run_once(self) -> Round:
        """Act on what is due now; raises StoreUnavailable."""
        if not self._has_zones:
            while await self._store.run(RefreshZones(TZDATA_VERSION)) == 1000:
                pass
            self._has_zones = True
        late_limit = self._catch_up()
        due = await self._store.run(FindDueTriggers(BATCH, late_limit))
        late = sum(1 for found in due.triggers if _is_late(found.trigger, due.now))
        self._allowance -= late
        fired = [answer for part in _parts(due.triggers) for answer in await self._fire(part, due.now)]
        is_full, has_late = len(due.triggers) - late == BATCH, late > 0 or late_limit == 0
        return Round(fired, self._pause(due.next_seconds, fired, is_full=is_full, has_late=has_late))

    async def _fire(self, due: Sequence[DueTrigger], now: datetime) -> list[Fired]:
        try:
            answers = await self._carry_out([_decide(found, now) for found in due])
        except StoreUnavailable:
            raise
        except (StoreBusy, TenantBusy) as error:
            log.warning("Schedules could not be fired and are tried again: %s", error)
            return [Fired(found.trigger.id, "busy", None, error.code) for found in due]
        except JobplaneError as error:
            return await self._fire_alone(due, now, error)
        for answer in answers:
            if answer.outcome == "refused":
                log.warning("Schedule %s made no job: %s", answer.trigger_id, answer.reason)
        return answers

    async def _fire_alone(self, due: Sequence[DueTrigger], now: datetime, error: JobplaneError) -> list[Fired]:
        """Fire the schedules one by one. One that the database refuses is disabled with the reason; the others fire."""
        if len(due) > 1:
            return [answer for found in due for answer in await self._fire([found], now)]
        log.error("Schedule %s is disabled: %s", due[0].trigger.id, error)
        over = f"{error.code}: {error.message}"[:1000]
        try:
            return await self._carry_out([Decision(due[0].trigger, Action.DISABLE, over=over)])
        except StoreUnavailable:
            raise
        except JobplaneError as second:
            log.error("Schedule %s cannot be disabled: %s", due[0].trigger.id, second)
            return [Fired(due[0].trigger.id, "busy", None, second.code)]

    async def _carry_out(self, decisions: Sequence[Decision]) -> list[Fired]:
        return await self._store.run(FireTriggers(decisions, TZDATA_VERSION, self._by))

    def _catch_up(self) -> int:
        now = time.monotonic()
        self._allowance = min(CATCH_UP, self._allowance + (now - self._counted_at) * CATCH_UP)
        self._counted_at = now
        return max(0, int(self._allowance))

    def _pause(self, next_seconds: float | None, fired: Sequence[Fired], *, is_full: bool, has_late: bool) -> float:
        if is_full:
            return 0.0
        if has_late or any(answer.outcome in ("busy", "stale") for answer in fired):
            return BUSY_SECONDS
        if fired:  # one of them may be due again
            return 0.0
        return self._tick if next_seconds is None else max(0.0, min(self._tick, next_seconds))


def _parts(due: Sequence[DueTrigger]) -> Iterable[list[DueTrigger]]:
    """One call for fires that need no lock, and one call for each tenant whose enqueues may have to wait."""
    limited: dict[UUID, list[DueTrigger]] = {}
    free: list[DueTrigger] = []
    for found in due:
        (limited.setdefault(found.trigger.tenant_id, []) if found.is_limited else free).append(found)
    return [part for part in (free, *limited.values()) if part]


def _is_late(trigger: Trigger, now: datetime) -> bool:
    return trigger.due_at is not None and trigger.due_at <= now - LATE


def _decide(due: DueTrigger, now: datetime) -> Decision:
    """Decide, and disable a schedule with the reason if `decide` raises. The loop goes on."""
    try:
        return decide(due, now)
    except Exception as error:
        log.exception("Schedule %s cannot be planned.", due.trigger.id)
        return Decision(due.trigger, Action.DISABLE, over=f"fault: {type(error).__name__}: {error}"[:1000])


def decide(due: DueTrigger, now: datetime) -> Decision:
    """Decide what to do about a schedule that is due. Pure: no clock, no I/O."""
    trigger = due.trigger
    try:
        timetable = timetable_of(trigger)
    except InvalidTimetable as error:
        return Decision(trigger, Action.DISABLE, over=f"{error.code}: {error.message}"[:1000])
    return _Decider(due, timetable, now).decide()


class _Decider:
    def __init__(self, due: DueTrigger, timetable: Timetable, now: datetime) -> None:
        self._due = due
        self._trigger = due.trigger
        self._timetable = timetable
        self._now = now
        self._spread = spread(due.trigger.id, due.trigger.spread_seconds)
        self._until = now - self._spread  # planned up to here is due

    def decide(self) -> Decision:
        planned = self._trigger.next_run_at
        if planned is None or planned > self._until:
            return self._decide_early(planned)
        limit = self._trigger.pause_after_failures
        if limit is not None and (self._due.failures or 0) >= limit:
            return Decision(self._trigger, Action.DISABLE, over=f"failures: the last {limit} jobs have failed")
        if planned > self._until - LATE:
            return self._fire(planned)
        return self._decide_missed(planned)

    def _decide_early(self, planned: datetime | None) -> Decision:
        """No planned time has come: a job waits for the one before, or the times are to be computed again."""
        if self._trigger.waiting_at is None:
            return self._move(Action.MOVE, self._plan_again(planned))
        is_right = planned is None or self._trigger.zone_version == TZDATA_VERSION
        following = planned if is_right else self._plan_again(planned)
        return self._fire(self._trigger.waiting_at, Action.RELEASE, following)

    def _plan_again(self, planned: datetime | None) -> datetime | None:
        """The next planned time by the rules of now. One that has passed and only waits for its spread stays."""
        return self._timetable.next_after(self._now if planned is None else min(self._now, planned - _TICK))

    def _decide_missed(self, first: datetime) -> Decision:
        """Planned times have passed while nobody looked: `missed` says which of them count."""
        on_time = self._timetable.next_after(self._until - LATE)
        if on_time is not None and on_time > self._until:
            on_time = None
        match Missed(self._trigger.missed):
            case Missed.ALL:
                kept, older = self._timetable.newest(first - _TICK, self._until, self._trigger.missed_limit)
                return self._fire(kept[0] if older else first, missed=older)
            case Missed.LATEST if on_time is None:
                newest, older = self._timetable.newest(first, self._until, 1)
                return self._fire(newest[-1], missed=older + 1) if newest else self._fire(first)
            case Missed.SKIP if on_time is None:
                newest, older = self._timetable.newest(first, self._until, 1)
                last, passed = (newest[-1], older + 1) if newest else (first, 0)
                following = self._timetable.next_after(self._until)
                return self._move(Action.MISS, following, planned_at=last, missed=passed, reason="missed")
            case _:
                return self._fire(on_time or first, missed=self._count(first, on_time or first))

    def _count(self, first: datetime, before: datetime) -> int:
        """Planned times from the first up to, but not including, another."""
        newest, older = self._timetable.newest(first, before - _TICK, 1)
        return older + len(newest) + 1

    def _fire(
        self, planned_at: datetime, action: Action = Action.FIRE, following: datetime | None = None, missed: int = 0
    ) -> Decision:
        if action is Action.FIRE:
            following = self._timetable.next_after(planned_at)
        try:
            payload = self._payload(planned_at)
        except JobplaneError as error:
            reason = f"{error.code}: {error.message}"[:1000]
            return self._move(Action.REFUSE, following, planned_at=planned_at, missed=missed, reason=reason)
        return self._move(action, following, planned_at=planned_at, payload=payload, missed=missed)

    def _payload(self, planned_at: datetime) -> Document:
        due = self._due
        found = values(self._trigger, planned_at, self._now, (due.tenant_slug, due.tenant_name))
        payload = _compile(json.dumps(self._trigger.payload_template)).render(found)
        judge_for(self._trigger.definition_key, due.arg_schema, due.command).check(payload)
        return payload

    def _move(
        self,
        action: Action,
        following: datetime | None,
        *,
        planned_at: datetime | None = None,
        payload: Document | None = None,
        reason: str | None = None,
        missed: int = 0,
    ) -> Decision:
        over = None if following is not None else "done" if self._timetable.once else "ended"
        due_at = None if following is None else following + self._spread
        return Decision(self._trigger, action, planned_at, payload, reason, missed, following, due_at, over)


@lru_cache(4096)
def _compile(text: str) -> Template:
    return template_of(json.loads(text))
