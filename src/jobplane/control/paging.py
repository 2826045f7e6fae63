"""Lists page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from jobplane.core.paging import Page

Item = TypeVar("Item")
Cursor = TypeVar("Cursor")


async def walk(page: Callable[[Cursor | None], Awaitable[Page[Item, Cursor]]]) -> AsyncIterator[Item]:
    """All items of a list; `page` fetches the page after a cursor, when it is needed."""
    cursor: Cursor | None = None
    while True:
        found = await page(cursor)
        for item in found.items:
            yield item
        cursor = found.next_cursor
        if cursor is None:
            return
