"""Settings of a worker for a test: any value, without the bounds of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobplane.config import Config
from jobplane.worker.settings import WorkerSettings


def settings(
    queues: Mapping[str, int] | None = None, *, sys_path: str = "", own: Mapping[str, Any] | None = None, **config: Any
) -> WorkerSettings:
    """`config` are values of the configuration, `own` those of the worker's settings beside it."""
    return WorkerSettings(
        config=Config().model_copy(update=config),
        worker_id="w",
        queues=queues or {},
        sys_path=[sys_path] if sys_path else [],
        **(own or {}),
    )
