"""Prolong a lease while its handler runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

from jobplane.api.running.lines import LEASE_SECONDS, renewed, renewed_async
from jobplane.api.running.run import LeaseDesk
from jobplane.core.errors import StoreError
from jobplane.core.model import Lease
from jobplane.store.base import BlockingStore, Store

log = logging.getLogger("jobplane.run")


@contextmanager
def kept(store: BlockingStore, lease: Lease, desk: LeaseDesk) -> Generator[None]:
    """Renew every third of a lease, in a thread of its own, until the block ends."""
    stopping = threading.Event()

    def keep() -> None:
        while not stopping.wait(LEASE_SECONDS / 3):
            try:
                desk.hear(renewed(store, lease))
            except StoreError as error:
                log.warning("job %s: its lease could not be renewed: %s", lease.job_id, error)

    thread = threading.Thread(target=keep, name="jobplane-renew", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


@asynccontextmanager
async def kept_async(store: Store, lease: Lease, desk: LeaseDesk) -> AsyncGenerator[None]:
    """The same as a task."""

    async def keep() -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            try:
                desk.hear(await renewed_async(store, lease))
            except StoreError as error:
                log.warning("job %s: its lease could not be renewed: %s", lease.job_id, error)

    task = asyncio.create_task(keep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
