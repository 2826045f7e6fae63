"""Jobs with a text in them, as far as people are shown it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from jobplane.core.model import Job
from jobplane.core.paging import MOST, Page
from jobplane.core.searching import shows

_ROUNDS: Final = 20  # pages of a store for one page of ours
Fetch = Callable[[int, int | UUID | None], Awaitable[Page[Job, int]]]


async def search(fetch: Fetch, text: str, limit: int, cursor: int | UUID | None, offset: int) -> Page[Job, int]:
    """A page of the jobs that show the text, from a store that also finds it in masked values.

    It goes on until the page is full, so that a job that was left out is not told by a page that is short.
    """
    found: list[Job] = []
    page: Page[Job, int] = Page([], scanned_all=False)
    for _ in range(_ROUNDS):
        page = await fetch(min(offset + limit - len(found), MOST), cursor)
        found += [job for job in page.items if shows(job, text)]
        cursor = page.next_cursor
        if cursor is None or not page.scanned_all or len(found) == offset + limit:
            return Page(found[offset:], cursor, page.scanned_all)
    return Page(found[offset:], page.next_cursor, scanned_all=False)
