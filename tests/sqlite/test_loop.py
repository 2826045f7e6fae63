"""A program with an event loop: who waits keeps nobody else waiting, and who is canceled leaves nothing half done."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from jobplane.core.errors import StoreBusy
from jobplane.core.model import DEFAULT_TENANT, Enqueued, NewJob
from jobplane.store.verbs.jobs import Enqueue
from tests.client import SqliteStore
from tests.conformance.backend import SqliteAudit

MANY = 12  # more calls than the store has threads


@pytest.fixture
async def store(path: Path) -> AsyncGenerator[SqliteStore]:
    async with SqliteStore(path, driver="stdlib", busy_seconds=40) as store:
        await store.put_definitions([{"key": "d", "kind": "python"}])
        yield store


@pytest.fixture
def app(path: Path, store: SqliteStore) -> Generator[sqlite3.Connection]:
    """An application's connection that has the whole file to itself."""
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("begin immediate")
    yield conn
    conn.close()


class Lent:
    """Counts what it is asked for, and says when it was so many; others may run before each statement."""

    def __init__(self, conn: sqlite3.Connection, mark: int = 0) -> None:
        self._conn = conn
        self._mark = mark
        self.asked = 0
        self.marked = asyncio.Event()

    async def rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        self.asked += 1
        if self.asked == self._mark:
            self.marked.set()
        await asyncio.sleep(0)
        return self._conn.execute(statement, parameters).fetchall()


async def writers(store: SqliteStore) -> list[asyncio.Task[list[Enqueued]]]:
    """Calls that wait for the file."""
    tasks = [asyncio.create_task(store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])) for _ in range(MANY)]
    await asyncio.sleep(0)
    return tasks


async def test_who_reads_does_not_wait_behind_those_who_write(store: SqliteStore, app: sqlite3.Connection) -> None:
    waiting = await writers(store)

    await asyncio.wait_for(store.queues(), 20)

    assert not any(task.done() for task in waiting)
    app.execute("rollback")
    assert [answer.outcome for [answer] in await asyncio.gather(*waiting)] == ["created"] * MANY


async def test_who_lends_its_connection_does_not_wait_behind_those_who_wait_for_it(
    store: SqliteStore, app: sqlite3.Connection
) -> None:
    waiting = await writers(store)

    [answer] = await asyncio.wait_for(store.run(Enqueue(DEFAULT_TENANT, [NewJob(definition="d")]), conn=Lent(app)), 20)

    assert answer.created
    app.execute("commit")
    assert [answer.outcome for [answer] in await asyncio.gather(*waiting)] == ["created"] * MANY


async def test_who_found_no_thread_in_time_is_told_that_the_store_is_busy(path: Path, app: sqlite3.Connection) -> None:
    async with SqliteStore(path, driver="stdlib", busy_seconds=0.2) as hasty:
        found = await asyncio.gather(*await writers(hasty), return_exceptions=True)

    assert [type(error) for error in found] == [StoreBusy] * MANY
    assert not any("database is locked" in str(error) for error in found)


@pytest.mark.parametrize("statement", [1, 2, 4, 6, 8, 9, 10, 11, 12])
async def test_who_is_canceled_and_rolls_back_leaves_nothing_behind(
    path: Path, store: SqliteStore, app: sqlite3.Connection, statement: int
) -> None:
    lent = Lent(app, statement)
    job = NewJob(definition="d", dedupe_key="k")
    call = asyncio.create_task(store.run(Enqueue(DEFAULT_TENANT, [job]), conn=lent))
    marked = asyncio.create_task(lent.marked.wait())
    await asyncio.wait([call, marked], return_when=asyncio.FIRST_COMPLETED)
    marked.cancel()

    call.cancel()
    with suppress(asyncio.CancelledError):
        await call
    asked = lent.asked
    app.execute("rollback")
    await store.close()

    assert lent.asked == asked, "the caller's connection is left alone"
    assert SqliteAudit(path, "stdlib").faults() == []
    assert (await store.list_jobs(DEFAULT_TENANT)).items == []
