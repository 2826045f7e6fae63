"""Keep a lease while its handler runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from time import monotonic
from typing import Final

from jobplane.api.inline.attempt import LeaseDesk
from jobplane.api.inline.renewals import LEASE_SECONDS, renew
from jobplane.control.immediate import finish
from jobplane.core.errors import Invalid, StoreError
from jobplane.core.logs import NewLogLine
from jobplane.store.base import EngineStore
from jobplane.store.verbs.engine import WriteLogs

log = logging.getLogger("jobplane.run")
_LOG_SECONDS: Final = 1.0


@contextmanager
def kept(store: EngineStore, desk: LeaseDesk) -> Generator[None]:
    """Renew every third of a lease and store the log every second, in a thread of its own, until the block ends."""
    stopping = threading.Event()

    def keep() -> None:
        due = _due()
        while not stopping.wait(min(_LOG_SECONDS, due - monotonic())):
            if monotonic() >= due:
                finish(_prolong(store, desk))
                due = _due()
            finish(write(store, desk, desk.book.taken()))

    thread = threading.Thread(target=keep, name="jobplane-renew", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()
        finish(write(store, desk, desk.book.closed()))


@asynccontextmanager
async def kept_async(store: EngineStore, desk: LeaseDesk) -> AsyncGenerator[None]:
    """The same as a task."""
    writing: asyncio.Future[None] | None = None

    async def keep() -> None:
        nonlocal writing
        due = _due()
        while True:
            await asyncio.sleep(min(_LOG_SECONDS, due - monotonic()))
            if monotonic() >= due:
                await _prolong(store, desk)
                due = _due()
            if lines := desk.book.taken():
                writing = asyncio.ensure_future(write(store, desk, lines))
                await asyncio.shield(writing)

    task = asyncio.create_task(keep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        if writing is not None:
            await writing  # what was taken out of the book is nowhere else
        await write(store, desk, desk.book.closed())


async def write(store: EngineStore, desk: LeaseDesk, lines: Sequence[NewLogLine]) -> None:
    """Store lines of a log; a fault costs the lines, and not the attempt."""
    try:
        if lines:
            await store.run(WriteLogs(lines))
    except (StoreError, Invalid) as error:
        log.warning("job %s: its log could not be stored: %s", desk.job.job_id, error)


async def _prolong(store: EngineStore, desk: LeaseDesk) -> None:
    try:
        desk.hear(await renew(store, desk.lease))
    except StoreError as error:
        log.warning("job %s: its lease could not be renewed: %s", desk.job.job_id, error)


def _due() -> float:
    """When to renew next."""
    return monotonic() + LEASE_SECONDS / 3
