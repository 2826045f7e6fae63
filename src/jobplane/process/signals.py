"""The signals that ask a worker to stop."""

from __future__ import annotations

import signal


def stops() -> list[signal.Signals]:
    """SIGTERM, SIGINT, and SIGHUP unless it is ignored, as it is under nohup."""
    hung_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGTERM, signal.SIGINT, *hung_up]
