"""Triggers on the wire: the bodies of requests, what the documentation says of answers, and values as JSON."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

from jobplane.control.planning import timetable_of
from jobplane.control.triggers import Preview, SavedTrigger, Simulated
from jobplane.core import bounds
from jobplane.core.decoding import names_of
from jobplane.core.errors import InvalidTimetable
from jobplane.core.redaction import redact, redact_text
from jobplane.core.retry import BackoffName
from jobplane.core.timetable import Note, PlannedTime, in_words
from jobplane.core.triggers import Fire, FiredByHand, Trigger
from jobplane.server.rendering import Fields
from jobplane.server.shapes import BackoffBody, Body, Time, list_of, page_of, shape_of

_NAME: Final = StringConstraints(min_length=1, max_length=200)


class _TriggerFields(Body):
    key: Annotated[str | None, _NAME] = None
    trigger_type: Literal["schedule", "event"] | None = None
    event_name: Annotated[str | None, _NAME] = None
    cron_expr: Annotated[str | None, StringConstraints(max_length=200)] = None
    interval_seconds: Annotated[int | None, Field(strict=True, ge=1, le=31_622_400)] = None
    once: Annotated[bool | None, Field(strict=True)] = None
    timezone: Annotated[str | None, StringConstraints(max_length=64)] = None
    starts_at: Time | None = None
    ends_at: Time | None = None
    payload_template: dict[str, Any] | None = None
    dedupe_window_seconds: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    missed: Literal["latest", "skip", "all"] | None = None
    missed_limit: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = None
    overlap: Literal["allow", "skip", "queue_one", "cancel_previous"] | None = None
    spread_seconds: Annotated[int | None, Field(strict=True, ge=0, le=86_400)] = None
    pause_after_failures: Annotated[int | None, Field(strict=True, ge=1, le=100)] = None
    max_attempts: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = None
    priority: Annotated[int | None, Field(strict=True, ge=0, le=1000)] = None
    queue: Annotated[str | None, StringConstraints(max_length=100)] = None
    backoff: BackoffBody | BackoffName | None = None
    is_enabled: Annotated[bool | None, Field(strict=True)] = None
    disabled_reason: Annotated[str | None, StringConstraints(max_length=bounds.REASON)] = None

    def document(self) -> dict[str, Any]:
        """What the body names."""
        return self.model_dump(mode="json", exclude_unset=True)


class TriggerChanges(_TriggerFields):
    """What to change in a trigger; what is left out stays, and null takes away what may be missing."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cron_expr": "30 2 * * *", "overlap": "skip"}]})

    label: Annotated[str | None, _NAME] = None
    definition_key: Annotated[str | None, _NAME] = None


class TriggerBody(_TriggerFields):
    """A trigger to make: a schedule has one of cron_expr, interval_seconds and once."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "label": "Nightly tags",
                    "trigger_type": "schedule",
                    "cron_expr": "0 2 * * *",
                    "timezone": "America/New_York",
                    "definition_key": "recompute-trained-tags",
                    "payload_template": {"date": "{{ schedule.local_date }}"},
                }
            ]
        }
    )

    label: Annotated[str, _NAME]
    definition_key: Annotated[str, _NAME]


class BackfillBody(Body):
    """Planned times from `start` to `until` that made no job. With `dry_run` none is made."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"start": "2026-11-01T00:00:00Z", "until": "2026-11-02T00:00:00Z"}]}
    )

    start: Time
    until: Time
    dry_run: Annotated[bool, Field(strict=True)] = False


class PlannedTimeOut(BaseModel):
    """A planned time in UTC and in the time zone.

    `note` says what the clocks do on that day: `moved`, `skipped_hour`, `repeated_hour` or `offset_change`.
    """

    at: datetime
    local: str
    note: Note | None


class PreviewOut(BaseModel):
    """The timetable in words, and its next planned times."""

    words: str
    timezone: str
    times: list[PlannedTimeOut]


class ChangedDayOut(BaseModel):
    """A local date on which the clocks jump; forward where `seconds` is positive. `count` fires are on that date."""

    day: date
    at: datetime
    seconds: int
    count: int


class SimulationOut(BaseModel):
    """What the timetable would have done. `odd` fires are at another local time than the written one."""

    words: str
    timezone: str
    start: datetime
    until: datetime
    detail: str
    count: int
    first: datetime | None
    last: datetime | None
    odd: list[PlannedTimeOut]
    dst_days: list[ChangedDayOut]
    longest_gap_seconds: float | None


_DOCUMENT = dict[str, Any]
TriggerOut = shape_of(
    "Trigger", Trigger, payload_template=_DOCUMENT | None, backoff=_DOCUMENT | None, created_by=_DOCUMENT | None,
    effective_timezone=str, words=str, warnings=list[str], undecodable=list[str],
)  # fmt: skip
TriggerPage = page_of("TriggerPage", TriggerOut)
FireOut = shape_of("Fire", Fire, undecodable=list[str])
FirePage = page_of("FirePage", FireOut)
FiredOut = shape_of("FiredByHand", FiredByHand)
BackfillOut = create_model("Backfill", items=(list_of(FiredOut), ...), fired=(int, ...), dry_run=(bool, ...))
_TRIGGER: Final = tuple(name for name in names_of(Trigger) if name not in ("zone_version", "tenant_timezone"))


def timetable_document(
    cron_expr: str | None,
    interval_seconds: int | None,
    timezone: str | None,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    *,
    once: bool = False,
) -> dict[str, Any]:
    """A timetable that somebody is typing, as a document."""
    given = {
        "cron_expr": cron_expr,
        "interval_seconds": interval_seconds,
        "timezone": timezone,
        "starts_at": starts_at,
        "ends_at": ends_at,
        "once": once or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def trigger_fields(trigger: Trigger, warnings: list[str] | None = None) -> Fields:
    shown = {name: getattr(trigger, name) for name in _TRIGGER}
    shown["payload_template"] = redact(trigger.payload_template)
    shown["effective_timezone"] = trigger.zone
    shown["words"] = _words(trigger)
    shown["warnings"] = warnings or []
    shown["undecodable"] = list(trigger.undecodable)
    return shown


def saved_fields(saved: SavedTrigger) -> Fields:
    return trigger_fields(saved.trigger, saved.warnings)


def _words(trigger: Trigger) -> str:
    try:
        return in_words(timetable_of(trigger))
    except InvalidTimetable as error:
        return error.message


def fire_fields(fire: Fire) -> Fields:
    shown = {name: getattr(fire, name) for name in names_of(Fire)}
    return {**shown, "reason": fire.reason and redact_text(fire.reason), "undecodable": list(fire.undecodable)}


def fired_fields(fired: FiredByHand) -> Fields:
    return {name: getattr(fired, name) for name in names_of(FiredByHand)}


def backfill_fields(answers: list[FiredByHand], *, dry_run: bool) -> Fields:
    made = sum(answer.outcome == "fired" for answer in answers)
    return {"items": [fired_fields(answer) for answer in answers], "fired": made, "dry_run": dry_run}


def preview_fields(preview: Preview) -> Fields:
    return {"words": preview.words, "timezone": preview.timezone, "times": [_planned(each) for each in preview.times]}


def _planned(planned: PlannedTime) -> Fields:
    return {"at": planned.at, "local": planned.local.isoformat(timespec="seconds"), "note": planned.note}


def simulation_fields(found: Simulated) -> Fields:
    simulation = found.simulation
    return {
        "words": found.words,
        "timezone": found.timezone,
        "start": found.start,
        "until": found.until,
        "detail": found.detail,
        "count": simulation.count,
        "first": simulation.first,
        "last": simulation.last,
        "odd": [_planned(each) for each in simulation.odd],
        "dst_days": [{name: getattr(day, name) for name in names_of(type(day))} for day in simulation.dst_days],
        "longest_gap_seconds": simulation.longest_gap_seconds,
    }
