"""A worker as a process of its own."""

from __future__ import annotations

import threading

from jobplane.config import Config
from jobplane.core.errors import Invalid
from jobplane.process import serving
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.supervisor import Supervisor


def serve(config: Config, *, url: str | None = None, stopped: threading.Event | None = None) -> None:
    """Run until a signal stops the worker. Raises the error that keeps it from running."""
    if not (config.worker_imports or config.worker_policy):
        message = (
            "A worker runs the jobs of your modules: name them with --import app.jobs. For commands name a policy with"
            " --policy FILE."
        )
        raise Invalid(message, setting="worker_imports")
    if any(queue.partition("=")[0] == "system" for queue in config.worker_queues):
        raise Invalid(
            "The queue system is the scheduler's: its jobs are jobplane's own. Name another queue.",
            setting="worker_queues",
        )
    serving.serve(lambda: Supervisor(WorkerSettings.of(config, url=url)), stopped)
