"""Who claims may be told of the leases while the database still writes them down; they may come to nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg import AsyncConnection
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from jobplane.core.errors import Invalid, JobplaneError
from jobplane.core.leases import Claimed
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.wire import Wire
from tests.client import PostgresLineStore, PostgresStore
from tests.database import Database
from tests.worker.commits import at_commit

LEASED = "select count(*) from jobplane.leases"
HELD = """select from pg_locks where locktype = 'advisory' and objid = 4711
  and database = (select oid from pg_database where datname = current_database())"""


@pytest.fixture
async def lines(settings: Settings, db: Database, store: PostgresStore) -> AsyncGenerator[PostgresLineStore]:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d") for _ in range(3)])
    direct = replace(settings, urls={**settings.urls, "worker": db.url("worker", direct=True)}, pooler="none")
    async with PostgresLineStore(direct, deadline_seconds=60) as lines:
        yield lines


async def test_it_is_told_of_the_same_answer_before_anybody_else_can_see_it(
    lines: PostgresLineStore, db: Database
) -> None:
    at_commit(db, f"while exists ({HELD}) loop perform pg_sleep(0.01); end loop")
    told: list[tuple[Claimed, int]] = []
    keeper = db.connect("app")
    keeper.execute("select pg_advisory_lock(4711)")

    def soon(taken: Claimed) -> None:
        told.append((taken, db.peek(LEASED)[0][0]))
        keeper.close()

    taken = await lines.claim_lines("default", "w", limit=1, lease_seconds=30, soon=soon)

    assert told == [(taken, 0)]
    assert len(taken.leases) == 1
    assert db.peek(LEASED) == [(1,)]


async def test_leases_that_cannot_be_committed_are_none(lines: PostgresLineStore, db: Database) -> None:
    at_commit(db, "raise exception 'not today'")
    told: list[Claimed] = []

    with pytest.raises(JobplaneError, match="not today"):
        await lines.claim_lines("default", "w", limit=3, lease_seconds=30, soon=told.append)

    assert [len(taken.leases) for taken in told] == [3]
    assert db.peek(LEASED) == [(0,)]
    at_commit(db, "null")
    assert len((await lines.claim_lines("default", "w", limit=3, lease_seconds=30)).leases) == 3


async def test_nobody_is_told_of_what_is_refused_and_the_line_goes_on(lines: PostgresLineStore) -> None:
    told: list[Claimed] = []

    with pytest.raises(Invalid):
        await lines.claim_lines("default", "w", limit=0, lease_seconds=30, soon=told.append)

    assert told == []
    await lines.claim_lines("default", "w", limit=1, lease_seconds=30, soon=told.append)
    assert len(told) == 1


@pytest.mark.parametrize("fault", [KeyError("forgotten"), psycopg.DataError("forgotten")])
async def test_a_fault_of_who_is_told_is_no_answer(lines: PostgresLineStore, fault: Exception) -> None:
    def forget(_taken: Claimed) -> None:
        raise fault

    with pytest.raises(JobplaneError, match="forgotten"):
        await lines.claim_lines("default", "w", limit=1, lease_seconds=30, soon=forget)

    await lines.check()


class Unsynced:
    """A connection on which no call is followed by the mark that ends it."""

    def __init__(self, pgconn: Any) -> None:
        self._pgconn = pgconn

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pgconn, name)

    def get_result(self) -> PGresult | None:
        result = self._pgconn.get_result()
        return None if result is not None and result.status == ExecStatus.PIPELINE_SYNC else result


async def test_a_refusal_without_an_end_is_told_and_the_line_is_not_used_again(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await AsyncConnection.connect(db.url("worker", direct=True), autocommit=True) as conn:
        wire = Wire(conn, prepares=True)
        monkeypatch.setattr(wire, "_pgconn", Unsynced(conn.pgconn))

        with pytest.raises(psycopg.errors.DivisionByZero):
            await wire.rows("select 1 / %s::int", (0,), soon=lambda _rows: None)

        assert wire.is_closed
        await wire.close()
