"""Check the options of a job. The messages are those of the PostgreSQL store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from jobplane.core.model import Json, NewJob
from jobplane.store.sqlite.verbs.facts import kept

_RANGES: Final = {"priority": (0, 1000), "max_attempts": (1, 1000), "timeout_seconds": (1, 2_592_000)}
_SOURCES: Final = (None, "manual", "event", "schedule", "system")
_MAX_TEXT, _MAX_TAG, _MAX_KEY, _MANY = 500, 200, 100, 50


def facts_fault(job: NewJob) -> str | None:
    """What is wrong with a new job's options, or None."""
    if fault := numbers_fault({name: getattr(job, name) for name in _RANGES}):
        return fault
    if job.source not in _SOURCES:
        return "The source must be manual, event, schedule or system."
    if any(text is not None and not 1 <= len(text) <= _MAX_TEXT for text in kept(job)):
        return "Keys, references and ids must have 1 to 500 characters."
    return tags_fault(job.tags) or metadata_fault(job.metadata)


def numbers_fault(values: Mapping[str, Any]) -> str | None:
    """What is wrong with the numbers of a job; None is the definition's own."""
    for name, (low, high) in _RANGES.items():
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
    if len(found) > _MANY or any(len(k) > _MAX_KEY or _length(v) > _MAX_TEXT for k, v in found.items()):
        return "The metadata must have at most 50 keys of up to 100 characters, with values of up to 500 characters."
    return None


def _length(value: Json) -> int:
    return len(value) if isinstance(value, str) else len(json.dumps(value, ensure_ascii=False))
