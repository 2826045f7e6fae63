"""Blocks of logs: made ahead, walled like the whole table, dropped as a whole when their jobs are past their time."""

from __future__ import annotations

from datetime import timedelta
from typing import LiteralString, cast

import psycopg
import pytest

from jobplane.core.logs import NewLogLine
from jobplane.core.model import Outcome
from tests.client import PostgresStore
from tests.clock import START, Clock
from tests.conformance.factory import Factory, new
from tests.database import Database
from tests.leases import Held, settlement


@pytest.fixture
async def make(store: PostgresStore) -> Factory:
    return await Factory.cast(store)


def blocks(db: Database) -> list[str]:
    found = db.peek("select inhrelid::regclass::text from pg_inherits where inhparent = 'jobplane.logs'::regclass")
    return sorted(row[0].removeprefix("jobplane.logs_") for row in found)


def jump(db: Database, seq: int) -> None:
    """The next job gets this number."""
    db.own(f"alter sequence jobplane.jobs_seq_seq restart with {seq}")


async def logged(make: Factory, *messages: str, lease: Held | None = None) -> Held:
    lease = lease or await make.lease()
    ticket = lease
    lines = [NewLogLine(ticket, number, START, "info", message) for number, message in enumerate(messages, start=1)]
    assert await make.store.log_lines(lines) == []
    return lease


async def read(make: Factory, lease: Held) -> list[str]:
    return [line.message for line in await make.store.read_logs(make.alice, lease.job_id)]


async def ended_in_first_block(db: Database, make: Factory) -> Held:
    """A job with a line that has ended, while newer jobs have gone on to the next block."""
    lease = await logged(make, "old")
    await make.settle(lease, Outcome.SUCCEEDED)
    jump(db, 1_000_001)
    await make.over("succeeded")
    return lease


def test_a_migration_makes_blocks_ahead_and_no_default_one(db: Database) -> None:
    assert blocks(db) == ["0", "1", "2"]
    assert not db.peek(
        "select from pg_partitioned_table where partrelid = 'jobplane.logs'::regclass and partdefid <> 0"
    )


async def test_tidy_makes_blocks_for_the_next_two_million_jobs(db: Database, make: Factory) -> None:
    jump(db, 2_999_999)
    await make.jobs(2)

    await make.store.tidy()
    await make.store.tidy()

    assert blocks(db) == ["0", "1", "2", "3", "4", "5"]


async def test_a_line_whose_block_is_missing_makes_it(db: Database, make: Factory) -> None:
    jump(db, 77_000_000)
    lease = await logged(make, "far ahead")

    assert blocks(db) == ["0", "1", "2", "77"]
    assert await read(make, lease) == ["far ahead"]


async def test_a_new_block_has_the_walls_of_the_first(db: Database, make: Factory) -> None:
    jump(db, 5_000_000)
    await logged(make, "secret of alice")
    walls = (
        "select policyname, roles, cmd, permissive, qual, with_check from pg_policies where tablename = %s order by 1"
    )
    flags = "select relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner) from pg_class where relname = %s"
    grants = "select coalesce(array_agg(a::text order by 1), '{}') from pg_class, unnest(relacl) a where relname = %s"

    for question in (walls, flags, grants):
        assert db.peek(question, "logs_5") == db.peek(question, "logs_0")
    assert db.peek(flags, "logs_5") == [(True, True, "jobplane_owner")]
    assert len(db.peek(walls, "logs_5")) == 3


@pytest.mark.parametrize("block", ["logs", "logs_0", "logs_5"])
async def test_charlie_sees_nothing_of_alices_through_a_block(db: Database, make: Factory, block: str) -> None:
    await logged(make, "secret in the first")
    jump(db, 5_000_000)
    await logged(make, "secret in the sixth")
    statement = cast("LiteralString", f"select message from jobplane.{block}")
    app = db.connect("app")

    def seen(tenant: object) -> int:
        with app.transaction():
            app.execute("select set_config('jobplane.tenant_id', %s, true)", [str(tenant)])
            return len(app.execute(statement).fetchall())

    if block != "logs":
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            seen(make.alice)
        db.own(f"grant select on jobplane.{block} to jobplane_app")
    assert [seen(tenant) for tenant in (make.charlie, "", make.alice)] == [0, 0, 2 if block == "logs" else 1]
    owner = psycopg.connect(db.url("owner", direct=True))
    assert owner.execute(statement).fetchall() == []
    owner.close()


async def test_a_block_goes_when_all_its_jobs_are_past_their_time(db: Database, make: Factory, clock: Clock) -> None:
    lease = await ended_in_first_block(db, make)
    clock.advance(timedelta(days=7, seconds=-1))
    assert await make.store.drop_log_block() == 0
    clock.advance(2)

    assert await make.store.drop_log_block() == 1

    assert blocks(db) == ["1", "2"]
    assert await make.store.drop_log_block() == 0
    assert await read(make, lease) == []


@pytest.mark.parametrize(("definition", "global_", "goes"), [(30, 7, False), (1, 7, True), (None, 30, False)])
async def test_a_definition_says_how_long(
    db: Database, make: Factory, clock: Clock, definition: int | None, global_: int, *, goes: bool
) -> None:
    await make.define(retention_days_logs=definition)
    await make.define("other", retention_days_logs=365)
    await ended_in_first_block(db, make)
    clock.advance(timedelta(days=3 if goes else 20))

    assert await make.store.drop_log_block(retention_days=global_) == goes


async def test_a_block_stays_while_one_of_its_jobs_has_not_ended(db: Database, make: Factory, clock: Clock) -> None:
    lease = await logged(make, "first attempt")
    await make.settle(lease, Outcome.FAILED, retry_after=86400 * 20)
    await make.enqueue(new(delay_seconds=86400 * 300))
    jump(db, 1_000_001)
    await make.job()
    clock.advance(timedelta(days=15))
    assert await make.store.drop_log_block() == 0

    clock.advance(timedelta(days=6))
    await make.store.promote()
    assert await make.store.drop_log_block() == 0
    leases = await make.claim(2)
    assert await make.store.drop_log_block() == 0
    await make.store.settle([settlement(lease=one, outcome=Outcome.SUCCEEDED) for one in leases])
    assert await make.store.drop_log_block() == 0

    clock.advance(timedelta(days=8))
    assert await make.store.drop_log_block() == 1


async def test_the_newest_block_never_goes(make: Factory, clock: Clock) -> None:
    await make.settle(await logged(make, "x"), Outcome.SUCCEEDED)
    clock.advance(timedelta(days=400))

    assert await make.store.drop_log_block(retention_days=0) == 0


async def test_who_reads_keeps_a_block_and_is_not_waited_for(db: Database, make: Factory, clock: Clock) -> None:
    await ended_in_first_block(db, make)
    clock.advance(timedelta(days=8))
    reader = db.connect("app", autocommit=False)
    reader.execute("select count(*) from jobplane.logs")

    assert await make.store.drop_log_block() == 0

    reader.rollback()
    assert await make.store.drop_log_block() == 1


async def test_a_job_that_is_retried_after_its_block_went_writes_again(
    db: Database, make: Factory, clock: Clock
) -> None:
    lease = await logged(make, "old")
    await make.settle(lease, Outcome.FATAL)
    jump(db, 1_000_001)
    await make.over("succeeded")
    clock.advance(timedelta(days=8))
    assert await make.store.drop_log_block() == 1

    await make.store.retry(make.alice, [lease.job_id])
    again = await make.again()
    await logged(make, "new", lease=again)

    assert again.job_id == lease.job_id
    assert blocks(db) == ["0", "1", "2"]
    assert await read(make, lease) == ["new"]


async def test_two_that_make_the_same_block_both_write(db: Database, make: Factory) -> None:
    jump(db, 9_000_000)
    one, two = await make.lease(), await make.lease()
    first, second = (db.connect("worker", autocommit=False) for _ in range(2))
    line = "select * from jobplane.log_lines(%s, '{1}', %s, '{1}', array[now()], '{info}', '{x}')"
    first.execute(line, [[one.seq], [one.token]])
    second.execute("set lock_timeout = '200ms'")

    with pytest.raises(psycopg.errors.LockNotAvailable):
        second.execute(line, [[two.seq], [two.token]])
    second.rollback()
    first.commit()
    second.execute(line, [[two.seq], [two.token]])
    second.commit()

    assert [await read(make, lease) for lease in (one, two)] == [["x"], ["x"]]
