"""How long a job waits between two attempts."""

from __future__ import annotations

import math
from typing import Final

from jobplane.core.model import Backoff

_YEAR: Final = 31_536_000.0
_STEEP: Final = 600.0  # e^600 is above any cap and far from the end of the floats


def delay_seconds(backoff: Backoff, attempts: int, dice: float) -> float:
    """Seconds until the next attempt after `attempts` of the budget are spent; `dice` in [0, 1) takes the jitter off.

    Never above the cap, and no overflow however many attempts there were. A policy that another program wrote may have
    any numbers: the wait is between 0 and a year.
    """
    delay = min(backoff.cap, backoff.base * _growth(backoff.factor, attempts - 1)) * (1 - backoff.jitter * dice)
    return min(delay, _YEAR) if delay > 0 else 0.0  # of NaN, too


def _growth(factor: float, steps: int) -> float:
    """The factor to the power of the steps, as far as it matters: a first attempt and a factor of 1 do not grow."""
    if steps <= 0 or factor <= 1:
        return 1.0
    return factor ** min(steps, _STEEP / math.log(factor))
