"""Cursors on the wire: the id of the last row, or a text that only its own list reads."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from jobplane.control.all_jobs import AllJobs
from jobplane.control.jobs import Jobs
from jobplane.core.errors import Invalid
from jobplane.core.model import Job
from jobplane.core.paging import Page

_WRONG = "The cursor does not belong to this list. Use next_cursor of the previous page, or leave it out."


def id_of(cursor: str | None) -> UUID | None:
    """The id of the last item of the former page."""
    if cursor is None:
        return None
    try:
        return UUID(cursor)
    except ValueError:
        raise Invalid(_WRONG, pointer="query cursor") from None


async def last_job(jobs: Jobs | AllJobs, page: Page[Job, int]) -> str | None:
    """The last job of a page; where a search has stopped, the last job that it has looked at."""
    if page.next_cursor is None:
        return None
    last = page.items[-1].id if page.scanned_all else await jobs.last_before(page.next_cursor)
    return None if last is None else str(last)


def time_of(cursor: str | None) -> datetime | None:
    """A time, as RFC 3339 has it."""
    if cursor is None:
        return None
    try:
        found = datetime.fromisoformat(cursor)
    except ValueError:
        found = None
    if found is None or found.utcoffset() is None:
        raise Invalid(_WRONG, pointer="query cursor")
    return found


def number_of(cursor: str | None) -> int | None:
    """A number, as a text."""
    if cursor is None:
        return None
    if not cursor.isdecimal() or not cursor.isascii() or len(cursor) > 18:
        raise Invalid(_WRONG, pointer="query cursor")
    return int(cursor)


def place_of(cursor: str | None) -> tuple[int, int]:
    """A place in a log: `attempt_no.line`."""
    attempt, _, line = (cursor or "0.0").partition(".")
    if (
        not (attempt.isdecimal() and line.isdecimal() and attempt.isascii() and line.isascii())
        or len(cursor or "") > 19
    ):
        raise Invalid(_WRONG, pointer="query cursor")
    return int(attempt), int(line)


def place_text(place: tuple[int, int]) -> str:
    return f"{place[0]}.{place[1]}"
