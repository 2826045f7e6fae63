"""Signals from the first moment of a command that runs until it is stopped."""

from __future__ import annotations

import signal
import threading

from jobplane.process.signals import stops


def note_stops() -> threading.Event:
    """Set by what asks to stop from now on, until somebody else takes it: nothing is lost, be it that of PID 1."""
    stopped = threading.Event()
    for number in stops():
        signal.signal(number, lambda _number, _frame: stopped.set())
    return stopped
