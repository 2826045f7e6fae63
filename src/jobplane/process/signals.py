"""The signals that ask a worker to stop."""

from __future__ import annotations

import signal


def stops() -> list[signal.Signals]:
    """SIGTERM, Ctrl-C, and a terminal that is closed; but for who was started to outlive that, as by nohup."""
    hung_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGTERM, signal.SIGINT, *hung_up]
