"""Signals from the first moment of a command that runs until it is stopped."""

from __future__ import annotations

import signal
import threading


def noted() -> threading.Event:
    """Set by SIGTERM or Ctrl-C from now on, until somebody else takes them: none is lost, be it that of PID 1."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopped.set())
    return stopped
