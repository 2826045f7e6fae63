"""Check arguments before a statement sees them: SQLite itself would store almost anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from jobplane.core.admission import require_instant
from jobplane.core.bounds import INT, REASON, whole
from jobplane.core.errors import Invalid
from jobplane.core.texts import require_text, require_texts
from jobplane.store.sqlite.moment import micros

text = require_text
texts = require_texts


def whole_or_none(name: str, value: object, low: int, high: int = INT) -> int | None:
    return None if value is None else whole(name, value, low, high)


def texts_or_none(name: str, values: object) -> list[str] | None:
    return None if values is None else texts(name, values)


def uuid(value: object) -> str:
    """A UUID as its text."""
    if not isinstance(value, UUID):
        raise Invalid(f"An id must be a UUID, not {type(value).__name__}.")
    return str(value)


def uuids(values: Sequence[object]) -> list[str]:
    return [uuid(value) for value in values]


def instant(name: str, value: datetime | None) -> int | None:
    """A time with a zone as microseconds."""
    if value is None:
        return None
    require_instant(name, value)
    return micros(value)


def share(progress: object) -> float | None:
    """The progress between 0 and 1. An invalid value becomes None: it must not fail the batch or lose the lease."""
    if not isinstance(progress, int | float) or math.isnan(progress):
        return None
    return float(min(max(progress, 0), 1))


def exit_code(code: object) -> int | None:
    return min(max(code, -INT), INT) if isinstance(code, int) else None


def reason(value: object) -> str | None:
    """Why something is paused."""
    if isinstance(value, str) and len(value) > REASON:
        raise Invalid(f"The reason has {len(value)} characters. Shorten it to {REASON}.")
    return None if value is None else text("reason", value)
