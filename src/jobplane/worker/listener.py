"""Listening: a notification speeds the fetcher up; without one it polls."""

from __future__ import annotations

from collections.abc import Callable

from jobplane.store.lines import Ear


async def listen(ear: Ear, woken: Callable[[int | None], None]) -> None:
    """Pass each wake-up on, until the ear is closed; it finds a lost connection again by itself."""
    async for queue_id in ear.wakes():
        woken(queue_id)
