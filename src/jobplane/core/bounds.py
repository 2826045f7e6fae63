"""The bounds of numbers and names, checked before a store is called. The tables of PostgreSQL check the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from jobplane.core.errors import Invalid

INT: Final = 2**31 - 1
BIGINT: Final = 2**63 - 1

KEY: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,198}[A-Za-z0-9])?")  # of a definition
KEY_RULE: Final = "The key of a definition has letters, digits, dot, dash and underscore, up to 200 characters."
QUEUE: Final = re.compile(r"[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?")
QUEUE_RULE: Final = "The name of a queue has a-z, 0-9, dot, dash and underscore, up to 100 characters."
DESCRIPTION: Final = 1000  # characters
REASON: Final = 1000  # of a pause

POLICY: Final[Mapping[str, tuple[int, int]]] = {
    "priority": (0, 1000),
    "max_attempts": (1, 1000),
    "timeout_seconds": (1, 2_592_000),
    "max_running": (0, INT),
    "max_running_per_tenant": (0, INT),
    "retention_days": (0, INT),
    "retention_days_logs": (0, INT),
    "retention_count": (0, INT),
}
BACKOFF: Final[Mapping[str, tuple[float, float]]] = {
    "base": (0, 86_400),
    "factor": (1, 100),
    "cap": (0, 2_592_000),
    "jitter": (0, 1),
}


def whole(name: str, value: object, low: int = -INT - 1, high: int = INT) -> int:
    """A whole number between two bounds."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(f"The {name} must be a whole number, not {type(value).__name__}.")
    if not low <= value <= high:
        raise Invalid(f"The {name} must be between {low} and {high}, not {show(value)}.")
    return value


def number(name: str, value: object, low: float, high: float) -> float:
    """A finite number between two bounds."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise Invalid(f"The {name} must be a number between {low} and {high}, not {show(value)}.")
    return float(value)


def show(value: object, most: int = 40) -> str:
    """A value in a message: a text in double quotes, true, false and null as JSON writes them, each cut to a length.

    A list or an object is shown as JSON. Python does not write out a number of thousands of digits, so a huge one is
    shown by its size.
    """
    if isinstance(value, int) and abs(value) > BIGINT:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, str):
        kept = value if len(value) <= most else f"{value[:most]}…"
        return json.dumps(kept, ensure_ascii=not kept.isprintable())
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    try:
        is_document = type(value) in (dict, list)
        return (json.dumps(value, ensure_ascii=False, default=repr) if is_document else repr(value))[:most]
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        return f"{type(value).__name__}, which cannot be shown"
