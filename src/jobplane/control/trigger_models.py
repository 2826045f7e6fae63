"""What a person may say of a trigger."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal, TypeAlias, cast

from pydantic import AwareDatetime, Field, StringConstraints

from jobplane.control.definition_models import BackoffModel
from jobplane.control.documents import Model, Text, judge_one
from jobplane.core import bounds
from jobplane.core.errors import Invalid
from jobplane.core.model import Document
from jobplane.core.retry import in_numbers

_Name: TypeAlias = Annotated[Text, StringConstraints(min_length=1, max_length=200)]
_Key: TypeAlias = Annotated[str, StringConstraints(pattern=f"^{bounds.KEY.pattern}$")]
_Time: TypeAlias = Annotated[AwareDatetime, Field(strict=False)]
_Object: TypeAlias = dict[str, object]

DEFAULTS: Final[Document] = {
    "trigger_type": "schedule",
    "cron_expr": None,
    "interval_seconds": None,
    "once": False,
    "timezone": None,
    "starts_at": None,
    "ends_at": None,
    "payload_template": {},
    "spread_seconds": 0,
    "is_enabled": True,
}
# What null takes away. All else must have a value.
NULLABLE: Final = frozenset(
    {
        *("key", "cron_expr", "interval_seconds", "timezone", "starts_at", "ends_at", "pause_after_failures"),
        *("max_attempts", "priority", "queue", "backoff", "disabled_reason"),
    }
)
# When one of these changes, the next planned time is computed again.
TIMES: Final = (
    "cron_expr",
    "interval_seconds",
    "once",
    "timezone",
    "starts_at",
    "ends_at",
    "spread_seconds",
    "is_enabled",
)


class TimetableModel(Model):
    """When a schedule fires: one of cron_expr, interval_seconds and once."""

    cron_expr: Annotated[Text, StringConstraints(max_length=200)] | None = None
    interval_seconds: Annotated[int, Field(ge=1, le=31_622_400)] | None = None
    once: bool = False
    timezone: Annotated[Text, StringConstraints(max_length=64)] | None = None
    starts_at: _Time | None = None
    ends_at: _Time | None = None


class _TriggerModel(TimetableModel):
    key: _Name | None = None
    trigger_type: Literal["schedule", "event"] = "schedule"
    event_name: _Name | None = None
    payload_template: _Object = Field(default_factory=dict[str, object])
    dedupe_window_seconds: Annotated[int, Field(ge=0, le=bounds.INT)] = 300
    missed: Literal["latest", "skip", "all"] = "latest"
    missed_limit: Annotated[int, Field(ge=1, le=1000)] = 10
    overlap: Literal["allow", "skip", "queue_one", "cancel_previous"] = "allow"
    spread_seconds: Annotated[int, Field(ge=0, le=86_400)] = 0
    pause_after_failures: Annotated[int, Field(ge=1, le=100)] | None = None
    max_attempts: Annotated[int, Field(ge=1, le=1000)] | None = None
    priority: Annotated[int, Field(ge=0, le=1000)] | None = None
    queue: Annotated[str, StringConstraints(pattern=f"^{bounds.QUEUE.pattern}$")] | None = None
    backoff: BackoffModel | None = None
    is_enabled: bool = True
    disabled_reason: Annotated[Text, StringConstraints(max_length=bounds.REASON)] | None = None


class TriggerChanges(_TriggerModel):
    """What a person may change. Null takes away what may be missing."""

    label: _Name = "trigger"
    definition_key: _Key = "definition"


class NewTrigger(_TriggerModel):
    """A trigger that a person makes."""

    label: _Name
    definition_key: _Key


def judge_new(document: Document) -> Document:
    """The document with its times as texts; raises Invalid, with the place of the first bad value."""
    found = judge_one(NewTrigger, in_numbers(document), "the trigger")
    _refuse_events(found)
    return found


def judge_changes(changes: Document) -> Document:
    """The changes with their times as texts; raises Invalid, with the place of the first bad value."""
    found = judge_one(TriggerChanges, in_numbers(changes), "the changes of a trigger")
    _refuse_events(found)
    for name, value in found.items():
        if value is None and name not in NULLABLE:
            raise Invalid(f"A trigger needs a value for {name}. Give one, or leave it out.", pointer=f"/{name}")
    return found


def judge_timetable(document: Document) -> Document:
    """A timetable that somebody is typing; raises Invalid."""
    return judge_one(TimetableModel, document, "the timetable")


def _refuse_events(document: Document) -> None:
    if document.get("trigger_type", "schedule") != "schedule" or document.get("event_name") is not None:
        message = 'Event triggers are not supported yet. Use trigger_type "schedule".'
        raise Invalid(message, pointer="/trigger_type")


def time_of(value: object) -> datetime | None:
    """A time of a document."""
    return None if value is None else datetime.fromisoformat(cast("str", value))
