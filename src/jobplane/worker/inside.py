"""A worker inside an application: `async with jp.worker(…)`."""

from __future__ import annotations

import asyncio
import sys
from typing import Final, Self

from jobplane.config import Config
from jobplane.core.errors import Invalid
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.supervisor import Supervisor

_UNGUARDED: Final = (
    'A worker was started while its module was being imported. Start it under `if __name__ == "__main__":`.'
)


class InsideWorker:
    """The supervisor runs on the application's event loop. Signals are left to the application."""

    def __init__(self, config: Config, *, url: str | None) -> None:
        _refuse_in_executor()
        if not config.worker_imports:
            raise Invalid("A worker runs the jobs of modules, and this Jobplane has none. Name them with imports=[…].")
        self._supervisor = Supervisor(WorkerSettings.of(config, url=url, adopts=False))
        self._hurry = asyncio.Event()

    @property
    def worker_id(self) -> str:
        return self._supervisor.worker_id

    async def wait(self) -> None:
        """Wait until the worker fails, then raise WorkerFailed."""
        await asyncio.shield(self._watching)

    async def __aenter__(self) -> Self:
        try:
            await self._supervisor.start()
        except BaseException:
            await self._supervisor.abandon()
            raise
        self._watching = asyncio.create_task(self._supervisor.watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let jobs finish until the grace time is over. If this task is canceled, release them at once."""
        if self._watching.done():
            await self._supervisor.abandon()
            self._watching.result()
        self._watching.cancel()
        stopping = asyncio.create_task(self._supervisor.stop(self._hurry))
        try:
            await asyncio.shield(stopping)
        except asyncio.CancelledError:
            self._hurry.set()
            await stopping
            raise


def _refuse_in_executor() -> None:
    """Raise in an executor: it imports the module that starts the worker, and would start another worker."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    if spec is not None and spec.name == "jobplane.worker.executor.__main__":
        raise Invalid(_UNGUARDED)
