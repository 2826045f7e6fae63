"""Limit the successes with a line of their own in the worker's log to twenty a second, and count the others."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

SHOWN: Final = 20
WINDOW_SECONDS: Final = 1.0


class Successes:
    """`tell` is called with the number of hidden successes, once a second while there are any."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._shown_at: deque[float] = deque(maxlen=SHOWN)
        self._hidden = 0
        self._timer: asyncio.TimerHandle | None = None

    def take(self) -> bool:
        """Whether one more success may be shown now. It counts as shown."""
        now = time.monotonic()
        if len(self._shown_at) == SHOWN and now - self._shown_at[0] < WINDOW_SECONDS:
            return False
        self._shown_at.append(now)
        return True

    def hide(self, count: int) -> None:
        """Count successes that are not shown."""
        self._hidden += count
        if self._hidden and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WINDOW_SECONDS, self.flush)

    def flush(self) -> None:
        """Tell the number of hidden successes now."""
        if self._timer is not None:
            self._timer.cancel()
        hidden, self._hidden, self._timer = self._hidden, 0, None
        if hidden:
            self._tell(hidden)
