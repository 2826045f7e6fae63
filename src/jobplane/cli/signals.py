"""Signals from the first moment of a command that runs until it is stopped."""

from __future__ import annotations

import signal
import threading


def noted() -> threading.Event:
    """Set by SIGTERM, SIGHUP or Ctrl-C from now on, until somebody else takes them: none is lost, be it that of PID 1.

    A SIGHUP that is ignored, as after nohup, stays so.
    """
    stopped = threading.Event()
    hung_up = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    for number in (signal.SIGINT, signal.SIGTERM, *hung_up):
        signal.signal(number, lambda _number, _frame: stopped.set())
    return stopped
