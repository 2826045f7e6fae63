"""Retention as system jobs."""

from __future__ import annotations

import asyncio
from typing import Final

from jobplane.api.jobplane import Jobplane
from jobplane.config import Config
from jobplane.control.retention import Retention
from jobplane.core.model import Document
from jobplane.store.base import EngineStore
from jobplane.store.verbs.triggers import PruneFires

JOBS: Final = "system.prune-jobs"
LOGS: Final = "system.prune-logs"
FIRES: Final = "system.prune-fires"
ARTIFACTS: Final = "system.prune-artifacts"
_SECONDS: Final = 6 * 3600
_PAUSE_SECONDS: Final = 0.05


def define(jp: Jobplane, config: Config, store: EngineStore) -> None:
    """The jobs that remove what is past its time; files only where this process knows their directory."""
    retention = Retention(
        store,
        retention_days=config.retention_days,
        retention_days_logs=config.retention_days_logs,
        retention_count=config.retention_count,
    )

    @jp.job(JOBS, queue="system", timeout_seconds=_SECONDS, description="Remove ended jobs that are past their time.")
    async def prune_jobs() -> Document:
        return (await retention.prune_jobs()).document()

    @jp.job(LOGS, queue="system", timeout_seconds=_SECONDS, description="Remove log lines that are past their time.")
    async def prune_logs() -> Document:
        return (await retention.prune_logs()).document()

    @jp.job(FIRES, queue="system", timeout_seconds=_SECONDS, description="Remove the record of old planned times.")
    async def prune_fires() -> Document:
        return {"fires": await prune_all_fires(store)}

    directory = config.artifacts_dir
    if directory is None:
        return

    @jp.job(
        ARTIFACTS,
        queue="system",
        timeout_seconds=_SECONDS,
        description="Remove files of results that are no longer kept.",
    )
    async def prune_artifacts() -> Document:
        return (await retention.prune_artifacts(directory)).document()


async def prune_all_fires(store: EngineStore) -> int:
    """Remove the record of old planned times, a hundred triggers at a time; how many rows went."""
    removed, last = 0, None
    while True:
        step = await store.run(PruneFires(last))
        removed += step.removed
        last = step.last
        if last is None:
            return removed
        await asyncio.sleep(_PAUSE_SECONDS)
