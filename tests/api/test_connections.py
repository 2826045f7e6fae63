"""How many connections a program has is a setting, and event loops that were closed leave none behind."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from jobplane import Jobplane
from tests.api.conftest import point_at
from tests.database import Database
from tests.migrations.processes import until

OPEN = "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'jobplane'"


@pytest.mark.parametrize(("least", "most"), [(2, 2), (0, 1)])
def test_a_program_has_as_many_connections_as_it_is_told(
    db: Database, monkeypatch: pytest.MonkeyPatch, least: int, most: int
) -> None:
    if db.cluster.host:
        pytest.skip("the connections of a pooler are its own")
    point_at(db, monkeypatch)
    monkeypatch.setenv("JOBPLANE_DATABASE_CONNECTIONS_MIN", str(least))
    monkeypatch.setenv("JOBPLANE_DATABASE_CONNECTIONS_MAX", str(most))
    with Jobplane() as jp, ThreadPoolExecutor(8) as threads:
        for listing in [threads.submit(lambda: list(jp.list())) for _ in range(32)]:
            listing.result()

        until(lambda: db.peek(OPEN) == [(most,)], 20)


@pytest.fixture
def left_open(request: pytest.FixtureRequest, url: str | None) -> Callable[[], int]:
    """How many connections to the server, or threads that read and write the file, there are."""
    if url is not None:
        return lambda: sum(thread.name.startswith("jobplane-sqlite") for thread in threading.enumerate())
    db: Database = request.getfixturevalue("db")
    if db.cluster.host:
        pytest.skip("the connections of a pooler are its own")
    return lambda: db.peek(OPEN)[0][0]


async def look(jp: Jobplane) -> weakref.ref[asyncio.AbstractEventLoop]:
    assert (await jp.summary_async()).queued == 0
    return weakref.ref(asyncio.get_running_loop())


def test_event_loops_that_were_closed_leave_nothing_open(jp: Jobplane, left_open: Callable[[], int]) -> None:
    jp.sync()
    jp.close()
    until(lambda: left_open() == 0, 20)
    asyncio.run(look(jp))
    each = left_open()
    assert each

    loops = [asyncio.run(look(jp)) for _ in range(5)]

    until(lambda: left_open() <= each, 20)
    jp.close()
    until(lambda: left_open() == 0, 20)
    gc.collect()
    assert [loop() for loop in loops] == [None] * 5


def test_closing_on_another_event_loop_leaves_nothing_open(jp: Jobplane, left_open: Callable[[], int]) -> None:
    jp.sync()
    jp.close()
    asyncio.run(look(jp))

    asyncio.run(jp.aclose())

    until(lambda: left_open() == 0, 20)


def test_a_call_after_that_opens_again(jp: Jobplane) -> None:
    asyncio.run(look(jp))
    with asyncio.Runner() as runner:
        runner.run(look(jp))
        jp.close()

        runner.run(look(jp))
        runner.run(jp.aclose())
