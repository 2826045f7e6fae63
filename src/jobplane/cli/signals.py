"""Signals from the first moment of a command that runs until it is stopped."""

from __future__ import annotations

import signal
import threading

from jobplane.process.signals import stops


def note_stops() -> threading.Event:
    """An event that is set by the first stop signal. No signal is lost before a handler takes over, also as PID 1."""
    stopped = threading.Event()
    for number in stops():
        signal.signal(number, lambda _number, _frame: stopped.set())
    return stopped
