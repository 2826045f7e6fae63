"""Pages of lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
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


async def walked(page: Callable[[Cursor | None], Awaitable[Listed[Item, Cursor]]]) -> AsyncIterator[Item]:
    """All items of a list; `page` fetches the page after a cursor, when it is needed."""
    cursor: Cursor | None = None
    while True:
        found = await page(cursor)
        for item in found.items:
            yield item
        cursor = found.next_cursor
        if cursor is None:
            return
