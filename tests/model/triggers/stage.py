"""The stores with one specification of schedules beside them: what both are told, and what both must answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from jobplane.control.firing import decide
from jobplane.control.planning import plan, timetable_in
from jobplane.core.errors import InvalidTimetable
from jobplane.core.model import Document, JobStatus, Outcome
from jobplane.core.timetable import TZDATA_VERSION
from jobplane.core.triggers import Decision, Trigger
from tests.model.triggers import promises
from tests.model.triggers.schedules import DEFINITION, Made, Schedule, Schedules
from tests.model.triggers.side import TENANTS, Side

_TICK = timedelta(microseconds=1)
_TIMETABLE = ("cron_expr", "interval_seconds", "once", "timezone", "starts_at", "ends_at")
STRICT: Document = {"type": "object", "required": ["never there"]}


@dataclass
class Stage:
    """No verb here depends on what a store has answered: the specification alone decides."""

    sides: Sequence[Side]
    spec: Schedules = field(default_factory=Schedules)
    made: int = 0

    def furnish(self) -> None:
        for side in self.sides:
            side.furnish()

    def check(self) -> None:
        promises.check(self.spec)
        for side in self.sides:
            side.check(self.spec)

    def some(self, pick: int) -> Schedule | None:
        found = list(self.spec.of.values())
        return found[pick % len(found)] if found else None

    # People

    def create(self, table: Document, ends: float | None, rules: dict[str, Any], zone_version: str) -> None:
        self.made += 1
        # As random as ids are, and the same in each run: the spread comes from the id.
        trigger_id = UUID(int=(self.made * 0x9E3779B97F4A7C15F39CC0605CEDC835) % (1 << 128))
        document: dict[str, Any] = {"id": str(trigger_id), "label": "made", "definition_key": DEFINITION}
        document |= {**table, **rules, "ends_at": self._at(ends)}
        if document.get("once"):
            document["starts_at"] = self._at(120)
        try:
            times, since = self._plan(document, trigger_id)
        except InvalidTimetable:
            return
        document |= {**times, "zone_version": zone_version}
        tenant = TENANTS[self.made % 2]
        self.spec.create(tenant, document, since)
        for side in self.sides:
            side.store.create_trigger(tenant, document)

    def change(self, trigger: Trigger, changes: dict[str, Any]) -> None:
        """As the control plane does it: new times only where what they come from has changed."""
        new = {**changes, "ends_at": self._at(changes["ends_at"])} if "ends_at" in changes else dict(changes)
        whole: dict[str, Any] = {name: _written(getattr(trigger, name)) for name in _TIMETABLE}
        whole |= {"spread_seconds": trigger.spread_seconds, "is_enabled": trigger.is_enabled, **new}
        since = None
        if any(name in new and new[name] != _written(getattr(trigger, name)) for name in whole):
            if whole["once"] and whole["is_enabled"] and trigger.last_run_at == trigger.starts_at:
                return
            try:
                times, since = self._plan(whole, trigger.id)
            except InvalidTimetable:
                return
            new |= times
            since = since if times else None
        self.spec.change(trigger.id, new, since)
        for side in self.sides:
            side.store.change_trigger(trigger.tenant_id, trigger.id, new, trigger.version)

    def delete(self, trigger: Trigger) -> None:
        """With its jobs still there: they stay."""
        self.spec.delete(trigger.id)
        for side in self.sides:
            side.store.delete_trigger(trigger.tenant_id, trigger.id)

    def fire_by_hand(self, trigger: Trigger, kind: str, planned: Sequence[datetime]) -> None:
        before = len(self.spec.jobs)
        outcomes = self.spec.fire_by_hand(trigger.id, kind, planned)
        for side in self.sides:
            side.fire_by_hand(trigger, kind, planned, outcomes, self._numbers(before))

    def define(self, *, active: bool, strict: bool) -> None:
        self.spec.active, self.spec.arg_schema = active, STRICT if strict else True
        for side in self.sides:
            side.define(active=active, arg_schema=self.spec.arg_schema)

    # Schedulers

    def look(self) -> list[Decision]:
        """What a scheduler decides now; all sides must find the same to be due."""
        for side in self.sides:
            side.due(self.spec)
        return [decide(due, self.spec.now) for due in self.spec.due()]

    def fire(self, decisions: Sequence[Decision], zone_version: str = TZDATA_VERSION) -> None:
        before = len(self.spec.jobs)
        outcomes = [self.spec.fire(decision, zone_version) for decision in decisions]
        for side in self.sides:
            side.fire(decisions, zone_version, outcomes, self._numbers(before))

    def refresh_zones(self) -> None:
        count = self.spec.refresh_zones(TZDATA_VERSION)
        for side in self.sides:
            assert side.store.refresh_zones(TZDATA_VERSION) == count

    # Workers

    def claim(self) -> None:
        """Which jobs may run is for the other machine to judge; here the stores must agree."""
        claimed = [side.claim() for side in self.sides]
        for numbers in claimed:
            assert numbers == claimed[0], f"the stores claim different jobs: {claimed}"
        for number in claimed[0] if claimed else ():
            job = self.spec.jobs[number - 1]
            assert job.status is JobStatus.QUEUED
            job.status = JobStatus.RUNNING

    def running(self) -> list[Made]:
        return [job for job in self.spec.jobs if job.status is JobStatus.RUNNING]

    def settle(self, job: Made, outcome: Outcome) -> None:
        self.spec.settle(job, outcome)
        for side in self.sides:
            side.settle(job.number, outcome)

    # Time

    def advance(self, seconds: float) -> None:
        self.spec.now += timedelta(seconds=seconds)
        for side in self.sides:
            side.clock.advance(seconds)

    def _numbers(self, before: int) -> list[int]:
        return [job.number for job in self.spec.jobs[before:]]

    def _at(self, seconds: float | None) -> str | None:
        return None if seconds is None else (self.spec.now + timedelta(seconds=seconds)).isoformat()

    def _plan(self, whole: dict[str, Any], trigger_id: UUID) -> tuple[Document, datetime]:
        """The times to save, and from when on planned times count."""
        timetable = timetable_in(whole, "UTC")
        if not whole["is_enabled"]:
            return {}, self.spec.now
        times = plan(timetable, trigger_id, whole["spread_seconds"], self.spec.now).document
        since = timetable.starts_at - _TICK if timetable.once and timetable.starts_at else self.spec.now
        return times, since


def _written(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
