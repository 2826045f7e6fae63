"""Signals from the first moment of a command that runs until it is stopped."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Final

from jobplane.process.signals import stops

_LOOK_SECONDS: Final = 1.0


def note_stops() -> threading.Event:
    """An event that is set by the first stop signal. No signal is lost before a handler takes over, also as PID 1."""
    stopped = threading.Event()
    for number in stops():
        signal.signal(number, lambda _number, _frame: stopped.set())
    _end_with_launcher()
    return stopped


def _end_with_launcher() -> None:
    """A process that `jobplane up` has started stops when that is gone, however it went."""
    launcher = os.environ.get("JOBPLANE_LAUNCHER")
    if launcher is not None and launcher.isdecimal():
        threading.Thread(target=_watch, args=(int(launcher),), name="launcher", daemon=True).start()


def _watch(launcher: int) -> None:
    while os.getppid() == launcher:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
