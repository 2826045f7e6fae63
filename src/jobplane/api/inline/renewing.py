"""Keep a lease while its handler runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from time import monotonic
from typing import Final

from jobplane.api.inline.renewals import LEASE_SECONDS, renew
from jobplane.api.inline.run import InlineAttempt
from jobplane.control.immediate import finish
from jobplane.core.errors import Invalid, StoreError
from jobplane.core.logs import NewLogLine
from jobplane.store.base import EngineStore
from jobplane.store.verbs.engine import WriteLogs

log = logging.getLogger("jobplane.run")
_LOG_SECONDS: Final = 1.0


@contextmanager
def keep_lease(store: EngineStore, attempt: InlineAttempt) -> Generator[None]:
    """Renew every third of a lease and store the log every second, in a thread of its own, until the block ends."""
    stopping = threading.Event()

    def keep() -> None:
        due = _due()
        while not stopping.wait(min(_LOG_SECONDS, due - monotonic())):
            if monotonic() >= due:
                finish(_prolong(store, attempt))
                due = _due()
            finish(write(store, attempt, attempt.book.take()))

    thread = threading.Thread(target=keep, name="jobplane-renew", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()
        finish(write(store, attempt, attempt.book.close()))


@asynccontextmanager
async def keep_lease_async(store: EngineStore, attempt: InlineAttempt) -> AsyncGenerator[None]:
    """The same as a task."""
    writing: asyncio.Future[None] | None = None

    async def keep() -> None:
        nonlocal writing
        due = _due()
        while True:
            await asyncio.sleep(min(_LOG_SECONDS, due - monotonic()))
            if monotonic() >= due:
                await _prolong(store, attempt)
                due = _due()
            if lines := attempt.book.take():
                writing = asyncio.ensure_future(write(store, attempt, lines))
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
        await write(store, attempt, attempt.book.close())


async def write(store: EngineStore, attempt: InlineAttempt, lines: Sequence[NewLogLine]) -> None:
    """Store lines of a log; a fault costs the lines, and not the attempt."""
    try:
        if lines:
            await store.run(WriteLogs(lines))
    except (StoreError, Invalid) as error:
        log.warning("Log lines of job %s could not be stored: %s", attempt.job.job_id, error)


async def _prolong(store: EngineStore, attempt: InlineAttempt) -> None:
    try:
        attempt.hear(await renew(store, attempt.lease))
    except StoreError as error:
        log.warning("The lease on job %s could not be renewed: %s", attempt.job.job_id, error)


def _due() -> float:
    """When to renew next."""
    return monotonic() + LEASE_SECONDS / 3
