"""Pages of lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

Item = TypeVar("Item")
Cursor = TypeVar("Cursor")
Row = tuple[Any, ...]

MOST: Final = 1000
MOST_LINES: Final = 10_000  # of a log


@dataclass(frozen=True, slots=True)
class Page(Generic[Item, Cursor]):
    """A part of a list. `next_cursor` is where the next page begins, None on the last one.

    `scanned_all` is False where the search stopped before it had found a full page.
    """

    items: list[Item]
    next_cursor: Cursor | None = None
    scanned_all: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """How many items a list has. The count stops at 10,000: where it `is_capped`, there may be more."""

    total: int
    is_capped: bool


def page_of(
    rows: Sequence[Row], limit: int, read: Callable[[Row], Item], cursor: Callable[[Row], Cursor], most: int = MOST
) -> Page[Item, Cursor]:
    """The rows of one query as a page; a full one may have another behind it. A query answers with 1 to `most` rows."""
    is_full = len(rows) >= min(max(limit, 1), most)
    return Page([read(row) for row in rows], cursor(rows[-1]) if is_full else None)
