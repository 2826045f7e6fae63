"""How long to wait before a process that died is started again."""

from __future__ import annotations

import random
from time import monotonic
from typing import Final

FIRST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 10.0
HEALTHY_SECONDS: Final = 30.0


class RestartBackoff:
    """The pause doubles with each death in a row, and starts again after 30 s without one."""

    def __init__(self) -> None:
        self._deaths = 0
        self._last = 0.0

    def record_death(self, lived_seconds: float) -> None:
        """Record a death. `lived_seconds` is how long the process was ready, 0 if it never was."""
        self._deaths = 1 if lived_seconds >= HEALTHY_SECONDS else self._deaths + 1
        self._last = monotonic()

    def reset(self) -> None:
        self._deaths = 0

    @property
    def is_failing(self) -> bool:
        """Whether the last one died."""
        return self._deaths > 0

    def delay(self) -> float:
        """The pause in seconds. Up to half of it is random, so that many workers do not start at the same moment."""
        if not self._deaths or monotonic() - self._last >= HEALTHY_SECONDS:
            return 0.0
        longest = min(MOST_SECONDS, FIRST_SECONDS * 2 ** min(self._deaths - 1, 20))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 a jitter, not a secret
