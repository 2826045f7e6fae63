"""Start a process: wait for a database that is unavailable; raise for one that cannot be used."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from jobplane.config import Config, Role
from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.process.events import EventLog

T = TypeVar("T")

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
_TELL_SECONDS: Final = 60.0


async def call_patiently(
    call: Callable[[], Awaitable[T]], events: EventLog, login: Role, *, file: str | None = None
) -> T:
    """Call until the database answers, and log every minute that it waits, and why.

    Only an outage is waited for: a login or a database that is wrong raises, and so does a file that is missing.
    """
    longest, began_at, told_at = _FIRST_PAUSE, time.monotonic(), -math.inf
    while True:
        try:
            return await call()
        except (StoreUnavailable, StoreBusy) as error:
            if file and isinstance(error, StoreUnavailable):
                raise StoreUnavailable(f"{file}: {error.message}", **error.facts) from None
            now = time.monotonic()
            if now - told_at >= _TELL_SECONDS:
                told_at, seconds = now, round(now - began_at)
                events.log_event(
                    "waiting_for_database", level="warning", login=login, seconds=seconds, error=error.message
                )
        await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 a jitter, not a secret
        longest = min(longest * 2, _LONGEST_PAUSE)


def locate(config: Config, url: str | None, login: Role) -> Config:
    """If no database is configured, use the one of the modules' own Jobplane, else the one of the login."""
    if url and not config.database_url:
        return config.model_copy(update={"database_url": url})
    return config.base_on(login)
