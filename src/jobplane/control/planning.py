"""From a trigger to its planned times and payloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from uuid import UUID

from jobplane.control.trigger_models import time_of
from jobplane.core.errors import Invalid, InvalidTemplate, InvalidTimetable
from jobplane.core.model import Document, Json
from jobplane.core.template import Template
from jobplane.core.timetable import TZDATA_VERSION, Timetable, spread, zone
from jobplane.core.triggers import Trigger

# What a payload template may start with, and what it finds there.
ROOTS: Final[Mapping[str, tuple[str, ...]]] = {
    "schedule": ("planned_at", "local_time", "local_date", "timezone", "late_seconds", "previous_at"),
    "trigger": ("id", "key", "label"),
    "tenant": ("id", "slug", "name", "timezone"),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """The next planned time of a trigger, and when the scheduler has something to do then."""

    next_run_at: datetime | None
    due_at: datetime | None

    @property
    def document(self) -> Document:
        return {
            "next_run_at": None if self.next_run_at is None else self.next_run_at.isoformat(),
            "due_at": None if self.due_at is None else self.due_at.isoformat(),
            "zone_version": TZDATA_VERSION,
        }


def timetable_of(trigger: Trigger) -> Timetable:
    """When a stored trigger fires; raises InvalidTimetable where the time zone is no longer known."""
    return Timetable(
        timezone=trigger.zone,
        cron_expr=trigger.cron_expr,
        interval_seconds=trigger.interval_seconds,
        once=trigger.once,
        starts_at=trigger.starts_at,
        ends_at=trigger.ends_at,
    )


def timetable_in(document: Mapping[str, Any], tenant_timezone: str) -> Timetable:
    """When a trigger that is to be saved fires; raises InvalidTimetable."""
    return Timetable(
        timezone=document.get("timezone") or tenant_timezone,
        cron_expr=document.get("cron_expr"),
        interval_seconds=document.get("interval_seconds"),
        once=bool(document.get("once")),
        starts_at=time_of(document.get("starts_at")),
        ends_at=time_of(document.get("ends_at")),
    )


def plan(timetable: Timetable, trigger_id: UUID, spread_seconds: int, now: datetime) -> Plan:
    """Find the next planned time. A single time that has passed is due at once. Raises InvalidTimetable."""
    following = timetable.starts_at if timetable.once else timetable.next_after(now)
    if following is None:
        message = f"The schedule has no planned time after {now:%Y-%m-%d %H:%M} UTC. Choose a later ends_at."
        raise InvalidTimetable(message, field="ends_at")
    return Plan(following, following + spread(trigger_id, spread_seconds))


def values(trigger: Trigger, planned_at: datetime, now: datetime, tenant: tuple[str, str]) -> Mapping[str, Json]:
    """What the payload template of a trigger is rendered with; `tenant` is its slug and its name."""
    local = planned_at.astimezone(zone(trigger.zone))
    return {
        "schedule": {
            "planned_at": written(planned_at),
            "local_time": local.isoformat(timespec="seconds"),
            "local_date": local.date().isoformat(),
            "timezone": trigger.zone,
            "late_seconds": max(0, int((now - planned_at) / timedelta(seconds=1))),
            "previous_at": None if trigger.last_run_at is None else written(trigger.last_run_at),
        },
        "trigger": {"id": str(trigger.id), "key": trigger.key, "label": trigger.label},
        "tenant": {
            "id": str(trigger.tenant_id),
            "slug": tenant[0],
            "name": tenant[1],
            "timezone": trigger.tenant_timezone,
        },
    }


def written(at: datetime) -> str:
    """A time as REST writes it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z").replace(".000000Z", "Z")


def template_of(document: object) -> Template:
    """A payload template; raises InvalidTemplate."""
    if not isinstance(document, dict):
        raise Invalid("The payload_template must be a JSON object.", pointer="/payload_template")
    try:
        return Template(cast("Document", document), ROOTS)
    except InvalidTemplate as error:
        facts = {**error.facts, "pointer": f"/payload_template{error.facts.get('pointer', '')}"}
        raise InvalidTemplate(error.message, **facts) from None
