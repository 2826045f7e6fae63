"""Waiting for what must come true."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

# For what comes soon or never; a machine that is three times slower, and shared, needs it.
PATIENCE: Final = 60.0


def until(probe: Callable[[], object], seconds: float, what: str = "it") -> float:
    """Look until it is true; how long that took."""
    began = time.monotonic()
    while not probe():
        assert time.monotonic() < began + seconds, f"{what} did not come true in {seconds:g} s"
        time.sleep(0.02)
    return time.monotonic() - began


def pause(seconds: float) -> None:
    """Leave a fault on for so long: the one thing here that no probe can tell."""
    time.sleep(seconds)
