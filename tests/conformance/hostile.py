"""Values that nobody should send, and somebody will."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from jobplane.core.model import NewJob

HUNDRED_MB: Final = "a" * 100_000_000
NAIVE: Final = datetime(2026, 2, 1)  # noqa: DTZ001
LAST: Final = datetime.max.replace(tzinfo=UTC)
FIRST: Final = datetime.min.replace(tzinfo=UTC)
OLD: Final = datetime(1999, 12, 31, tzinfo=UTC)


class Evil:
    """An object that does not even let itself be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


def deep(levels: int) -> Any:
    document: Any = {}
    for _ in range(levels):
        document = [document]
    return document


def cycle() -> Any:
    document: list[Any] = []
    document.append(document)
    return document


VALUES: Final[dict[str, Callable[[], Any]]] = {
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("-inf"),
    "310 digits": lambda: 10**309,
    "5,001 digits": lambda: 10**5000,
    "131,072 digits": lambda: -(10**131_071),
    "NUL": lambda: "nul\x00",
    "a lone surrogate": lambda: "\ud800",
    "a lone low surrogate": lambda: ["\udfff"],
    "a key with NUL": lambda: {"k\x00": 1},
    "a key with a lone surrogate": lambda: {"\udc80": 1},
    "a key that is no string": lambda: {1: 1},
    "an evil key": lambda: {Evil(): 1},
    "an evil value": Evil,
    "bytes": lambda: b"\xff",
    "a set": lambda: {1},
    "a decimal": lambda: Decimal("1e131071"),
    "a datetime": lambda: NAIVE,
    "10,000 levels of lists": lambda: deep(10_000),
    "a cycle": cycle,
    "100 MB": lambda: HUNDRED_MB,
    "a million values": lambda: [0] * 1_000_000,
}
HUGE: Final = ("100 MB", "a million values", "10,000 levels of lists")
# field of a new job: values that it cannot have
FIELDS: Final[dict[str, list[Any]]] = {
    "definition": [None, 5, "", "nobody-knows", "d\x00", "\ud800", "d" * 100_000],
    "payload": [None, [], "{}", 5],
    "id": ["not-a-uuid", 5, Evil()],
    "queue": [5, "", "nowhere", "q\x00", "\ud800"],
    "priority": ["high", 1.5, True, -1, 1001, 2**31, 2**70, 10**5000, Evil()],
    "max_attempts": ["many", 0, 1001, 2**31, Evil()],
    "timeout_seconds": ["long", 0, 2_592_001, 2**31, Evil()],
    "scheduled_for": ["2026-02-01", 5, NAIVE, OLD, FIRST, LAST],
    "expires_at": ["2026-02-01", 5, NAIVE, OLD, FIRST, LAST],
    "delay_seconds": ["soon", True, -1, float("nan"), float("inf"), 3_153_600_001, 10**400, 10**5000, Evil()],
    "dedupe_key": [5, "", "k\x00", "\ud800", "k" * 501],
    "on_duplicate": ["discard", 5, [], Evil()],
    "idempotency_key": [5, "", "k\x00", "\ud800", "k" * 501],
    "correlation_id": [5, "", "k\x00", "\ud800", "k" * 501],
    "source": [5, "", "web", "\x00"],
    "source_ref": [5, "", "k\x00", "k" * 501],
    "created_by": [5, "", "k\x00", "k" * 501],
    "trace_context": [5, "k\x00", "\ud800"],
    "artifact_ref": [5, "", "k\x00", "k" * 501],
    "tags": ["red", 5, [1], [None], ["\x00"], ["\ud800"], [""], ["t" * 201], ["t"] * 51, Evil()],
    "metadata": [
        "m",
        5,
        [],
        {"m": Evil()},
        {1: 1},
        {"m": float("nan")},
        {"m": "\x00"},
        {"m": "\ud800"},
        {"m" * 101: 1},
    ],
}


def rows(plain: NewJob, *, huge: bool) -> dict[str, NewJob]:
    """A job for every value that it cannot have, the rest of it as in `plain`."""
    values = {name: value for name, value in VALUES.items() if huge or name not in HUGE}
    found = {f"payload with {name}": replace(plain, payload={"x": value()}) for name, value in values.items()}
    for name, values in FIELDS.items():
        found |= {f"{name} number {n}": replace(plain, **{name: value}) for n, value in enumerate(values)}
    return found
