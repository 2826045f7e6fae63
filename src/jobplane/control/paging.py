"""Pages of lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Cursor = TypeVar("Cursor")


@dataclass(frozen=True, slots=True)
class Listed(Generic[Item, Cursor]):
    """One page; `next_cursor` is None on the last one."""

    items: list[Item]
    next_cursor: Cursor | None
    scanned_all: bool = True
