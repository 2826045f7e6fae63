from __future__ import annotations

import asyncio
import time

from jobplane.worker.contact import Contact, Line
from jobplane.worker.dockets import Dockets
from jobplane.worker.journal import Journal


async def paused(line: Line) -> float:
    """How long the fourth pause was: what each may take is twice what the one before might, up to a bound."""
    for _ in range(3):
        await line.pause()
    began = time.monotonic()
    await line.pause()
    return time.monotonic() - began


async def test_who_lost_the_database_at_once_comes_back_at_any_time_of_a_bounded_pause() -> None:
    contact = Contact(Journal("w", Dockets()))

    pauses = await asyncio.gather(*(paused(contact.line("claims", longest_pause=0.5)) for _ in range(40)))

    assert min(pauses) < 0.2
    assert 0.3 < max(pauses) < 1.0
