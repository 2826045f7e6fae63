"""Prolong a lease while its handler runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from time import monotonic
from typing import Final

from jobplane.api.inline.lines import LEASE_SECONDS, renewed, renewed_async
from jobplane.api.inline.run import LeaseDesk
from jobplane.core.errors import Invalid, StoreError
from jobplane.core.lines import NewLogLine
from jobplane.core.model import Lease
from jobplane.store.base import BlockingStore, Store
from jobplane.store.verbs.engine import WriteLogs

log = logging.getLogger("jobplane.run")
_LOG_SECONDS: Final = 1.0


@contextmanager
def kept(store: BlockingStore, lease: Lease, desk: LeaseDesk) -> Generator[None]:
    """Renew every third of a lease and store the log every second, in a thread of its own, until the block ends."""
    stopping = threading.Event()

    def keep() -> None:
        due = _due()
        while not stopping.wait(min(_LOG_SECONDS, due - monotonic())):
            if monotonic() >= due:
                renew()
                due = _due()
            write(store, lease, desk.book.taken())

    def renew() -> None:
        try:
            desk.hear(renewed(store, lease))
        except StoreError as error:
            _warn(lease, "lease could not be renewed", error)

    thread = threading.Thread(target=keep, name="jobplane-renew", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()
        write(store, lease, desk.book.closed())


@asynccontextmanager
async def kept_async(store: Store, lease: Lease, desk: LeaseDesk) -> AsyncGenerator[None]:
    """The same as a task."""
    writing: asyncio.Future[None] | None = None

    async def keep() -> None:
        nonlocal writing
        due = _due()
        while True:
            await asyncio.sleep(min(_LOG_SECONDS, due - monotonic()))
            if monotonic() >= due:
                await renew()
                due = _due()
            if lines := desk.book.taken():
                writing = asyncio.ensure_future(write_async(store, lease, lines))
                await asyncio.shield(writing)

    async def renew() -> None:
        try:
            desk.hear(await renewed_async(store, lease))
        except StoreError as error:
            _warn(lease, "lease could not be renewed", error)

    task = asyncio.create_task(keep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        if writing is not None:
            await writing  # what was taken out of the book is nowhere else
        await write_async(store, lease, desk.book.closed())


def write(store: BlockingStore, lease: Lease, lines: Sequence[NewLogLine]) -> None:
    """Store lines of a log; a fault costs the lines, and not the attempt."""
    try:
        if lines:
            store.run(WriteLogs(lines))
    except (StoreError, Invalid) as error:
        _warn(lease, "log could not be stored", error)


async def write_async(store: Store, lease: Lease, lines: Sequence[NewLogLine]) -> None:
    try:
        if lines:
            await store.run(WriteLogs(lines))
    except (StoreError, Invalid) as error:
        _warn(lease, "log could not be stored", error)


def _due() -> float:
    """When to renew next."""
    return monotonic() + LEASE_SECONDS / 3


def _warn(lease: Lease, what: str, error: Exception) -> None:
    log.warning("job %s: its %s: %s", lease.job_id, what, error)
