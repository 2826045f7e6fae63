"""The options of a job, judged before a store is called: those of a new job, and the changes of a waiting one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

from jobplane.core.errors import Invalid
from jobplane.core.model import Json
from jobplane.core.texts import require_text

RANGES: Final = {"priority": (0, 1000), "max_attempts": (1, 1000), "timeout_seconds": (1, 2_592_000)}
MAX_TEXT: Final = 500
WRONG_TIME: Final = (
    "The scheduled_for must be a time between the years 2000 and 9999, and the delay_seconds between 0 and 3153600000."
)
_WRONG_EXPIRY: Final = (
    "The expires_at must be a time between the years 2000 and 9999 with a time zone, like 2026-11-15T12:00:00Z."
)
_MAX_TAG, _MAX_KEY, _MANY = 200, 100, 50
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)")


def judge_edit(changes: Mapping[str, Any]) -> None:
    """Raise Invalid for a change that no job may have. Null keeps or removes the value."""
    fault = numbers_fault(changes) or tags_fault(changes.get("tags")) or metadata_fault(changes.get("metadata"))
    if fault:
        raise Invalid(fault)
    if changes.get("queue") is not None:
        require_text("queue", changes["queue"])
    if changes.get("expires_at") is not None:
        parse_expiry(changes["expires_at"])


def parse_expiry(value: object) -> datetime:
    """The time of a text; raises Invalid."""
    try:
        at = datetime.fromisoformat(value).astimezone(UTC) if isinstance(value, str) and _ISO.fullmatch(value) else None
    except (ValueError, OverflowError):
        at = None
    if at is None or not 2000 <= at.year < 9999:
        raise Invalid(_WRONG_EXPIRY)
    return at


def numbers_fault(values: Mapping[str, Any]) -> str | None:
    """The first fault in the numbers of a job, or None. A number that is None comes from the definition."""
    for name, (low, high) in RANGES.items():
        value = values.get(name)
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool):
            return f"The {name} must be a whole number."
        if not low <= value <= high:
            return f"The {name} must be between {low} and {high}, not {value}."
    return None


def tags_fault(tags: Any) -> str | None:
    if tags is None:
        return None
    if isinstance(tags, str) or not isinstance(tags, Sequence):
        return "The tags must be a list of strings."
    found = cast("Sequence[object]", tags)
    if len(found) > _MANY or any(not isinstance(tag, str) or not 1 <= len(tag) <= _MAX_TAG for tag in found):
        return "The tags must be at most 50 strings of 1 to 200 characters."
    return None


def metadata_fault(metadata: Any) -> str | None:
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        return "The metadata must be a JSON object."
    found = cast("Mapping[str, Json]", metadata)
    if len(found) > _MANY or any(len(k) > _MAX_KEY or _length(v) > MAX_TEXT for k, v in found.items()):
        return "The metadata must have at most 50 keys of up to 100 characters, with values of up to 500 characters."
    return None


def _length(value: Json) -> int:
    return len(value) if isinstance(value, str) else len(json.dumps(value, ensure_ascii=False))
