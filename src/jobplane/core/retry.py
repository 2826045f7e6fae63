"""How long a job waits between two attempts: the policy in numbers or by name, and the seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final, Literal, TypeAlias

from jobplane.core.bounds import show
from jobplane.core.errors import Invalid
from jobplane.core.model import Backoff, Document

BackoffName: TypeAlias = Literal["jobforge", "ayb"]
# The tables of two other systems, for programs that come from there. Neither has jitter.
PRESETS: Final[Mapping[str, Backoff]] = {
    "jobforge": Backoff(base=1.0, factor=2.0, cap=3600.0, jitter=0.0),
    "ayb": Backoff(base=5.0, factor=2.0, cap=300.0, jitter=0.0),
}

_YEAR: Final = 31_536_000.0
_STEEP: Final = 600.0  # e^600 is above any cap and far from the end of the floats


def preset(name: str) -> Backoff:
    """The policy of this name; raises Invalid."""
    if name not in PRESETS:
        raise Invalid(f"Unknown backoff {show(name, 80)}. Use {' or '.join(PRESETS)}, or the numbers of a policy.")
    return PRESETS[name]


def in_numbers(document: Document) -> Document:
    """A document whose backoff, if it is a name, is replaced by the numbers of that policy; raises Invalid."""
    backoff = document.get("backoff")
    return {**document, "backoff": asdict(preset(backoff))} if isinstance(backoff, str) else document


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
