"""Signals as bytes in a pipe, so that a poll loop wakes up for them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

_IGNORED: Final = (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)  # those of a terminal are the supervisor's


class Wakeup:
    """Takes over the signals of this process. `descriptor` is readable when one has come."""

    def __init__(self, numbers: Iterable[signal.Signals]) -> None:
        self.descriptor, self._writer = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        for number in numbers:
            signal.signal(number, lambda _number, _frame: None)

    def read(self) -> set[int]:
        """The signals that have come since the last call. None at all if so many came that the pipe was full."""
        with suppress(BlockingIOError):
            return set(os.read(self.descriptor, 1 << 16))
        return set()

    def close(self) -> None:
        """In a fork, before it makes its own."""
        os.close(self.descriptor)
        os.close(self._writer)
