"""Who claims may be told of the leases while the database still writes them down; they may come to nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import psycopg
import pytest

from jobplane.core.errors import Invalid, JobplaneError
from jobplane.core.lines import Taken
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.postgres.lines import PostgresLineStore
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore
from tests.database import Database
from tests.worker.commits import at_commit

LEASED = "select count(*) from jobplane.leases"


@pytest.fixture
async def lines(settings: Settings, db: Database, store: PostgresStore) -> AsyncGenerator[PostgresLineStore]:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d") for _ in range(3)])
    direct = replace(settings, urls={**settings.urls, "worker": db.url("worker", direct=True)}, pooler="none")
    async with PostgresLineStore(direct) as lines:
        yield lines


async def test_it_is_told_of_the_same_answer_before_anybody_else_can_see_it(
    lines: PostgresLineStore, db: Database
) -> None:
    at_commit(db, "perform pg_sleep(0.3)")
    told: list[tuple[Taken, int]] = []

    taken = await lines.claim_lines(
        "default", "w", limit=1, lease_seconds=30, soon=lambda taken: told.append((taken, db.peek(LEASED)[0][0]))
    )

    assert told == [(taken, 0)]
    assert len(taken.tickets) == 1
    assert db.peek(LEASED) == [(1,)]


async def test_leases_that_cannot_be_committed_are_none(lines: PostgresLineStore, db: Database) -> None:
    at_commit(db, "raise exception 'not today'")
    told: list[Taken] = []

    with pytest.raises(JobplaneError, match="not today"):
        await lines.claim_lines("default", "w", limit=3, lease_seconds=30, soon=told.append)

    assert [len(taken.tickets) for taken in told] == [3]
    assert db.peek(LEASED) == [(0,)]
    at_commit(db, "null")
    assert len((await lines.claim_lines("default", "w", limit=3, lease_seconds=30)).tickets) == 3


async def test_nobody_is_told_of_what_is_refused_and_the_line_goes_on(lines: PostgresLineStore) -> None:
    told: list[Taken] = []

    with pytest.raises(Invalid):
        await lines.claim_lines("default", "w", limit=0, lease_seconds=30, soon=told.append)

    assert told == []
    await lines.claim_lines("default", "w", limit=1, lease_seconds=30, soon=told.append)
    assert len(told) == 1


@pytest.mark.parametrize("fault", [KeyError("forgotten"), psycopg.DataError("forgotten")])
async def test_a_fault_of_who_is_told_is_no_answer(lines: PostgresLineStore, fault: Exception) -> None:
    def forget(_taken: Taken) -> None:
        raise fault

    with pytest.raises(JobplaneError, match="forgotten"):
        await lines.claim_lines("default", "w", limit=1, lease_seconds=30, soon=forget)

    await lines.check()
