"""How long to wait between two looks at a job, and for a database that is unavailable."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from jobplane.core.errors import Invalid, StoreBusy, StoreError, StoreUnavailable

log = logging.getLogger("jobplane")

_FIRST: Final = 0.02
_LONGEST: Final = 1.0
_RESTART_SECONDS: Final = 60.0  # a failover, too, is over by then
Sleep = Callable[[float], Awaitable[None]]
PASSING: Final = (StoreUnavailable, StoreBusy)


def pauses(timeout: float | None) -> Iterator[float]:
    """Seconds to sleep after each look, 20 ms rising to 1 s; after the last pause there is one more look."""
    until = math.inf if timeout is None else time.monotonic() + _seconds(timeout)
    pause = _FIRST
    while (left := until - time.monotonic()) > 0:
        yield min(pause, left)
        pause = min(pause * 1.5, _LONGEST)
    yield 0.0


def _seconds(timeout: object) -> float:
    if not isinstance(timeout, int | float):
        raise Invalid(f"The timeout must be a number of seconds, not {type(timeout).__name__}.")
    return timeout


def too_long(job: object, timeout: float | None) -> TimeoutError:
    return TimeoutError(f"Job {getattr(job, 'id', job)} has not ended within {timeout} s.")


class Outage:
    """A caller that waits for a job also waits out an outage of the database, unless it has never answered."""

    def __init__(self) -> None:
        self._was_there = False
        self._away_since = 0.0
        self.error: StoreError | None = None

    def bear(self, error: StoreError) -> float:
        """Seconds to wait until the next look; raises the error if the outage has lasted too long."""
        if self.error is None:
            self._away_since = time.monotonic()
        if not self._was_there or time.monotonic() - self._away_since > _RESTART_SECONDS:
            raise error
        if self.error is None:
            log.warning("The database is unavailable. Trying again until it answers: %s", error)
        self.error = error
        return _LONGEST

    def is_over(self) -> None:
        self._was_there, self.error = True, None
