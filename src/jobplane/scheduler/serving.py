"""A scheduler as a process of its own."""

from __future__ import annotations

import threading

from jobplane.config import Config
from jobplane.core.errors import Invalid
from jobplane.process import serving
from jobplane.scheduler.scheduler import Scheduler


def serve(config: Config, *, stopped: threading.Event | None = None) -> None:
    """Run until a signal says stop. Raises what keeps the scheduler from running."""
    if not config.scheduler_enabled:
        raise Invalid(
            "The scheduler is disabled by scheduler_enabled = false. Set it to true to start the scheduler.",
            setting="scheduler_enabled",
        )
    serving.serve(lambda: Scheduler(config), stopped)
