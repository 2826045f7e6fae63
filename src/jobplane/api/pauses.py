"""How long to wait between two looks at a job."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Final

from jobplane.core.errors import Invalid

_FIRST: Final = 0.02
_LONGEST: Final = 1.0


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
        raise Invalid(f"a timeout is a number of seconds, not {type(timeout).__name__}")
    return timeout


def too_long(job: object, timeout: float | None) -> TimeoutError:
    return TimeoutError(f"{getattr(job, 'id', job)} has not ended within {timeout} s")
