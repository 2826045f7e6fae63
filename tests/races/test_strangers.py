"""A login without one grant can hold any advisory lock, and some table locks, for ever: nobody waits for it."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import product
from typing import Final
from uuid import uuid4

import psycopg
import pytest

from jobplane.core.errors import StoreBusy
from jobplane.store.postgres import migrate, script
from jobplane.store.postgres.source import PACKAGED, load
from tests.conftest import ROLES
from tests.database import Database
from tests.races.hands import Connection
from tests.races.stage import Stage
from tests.races.waiting import at_once

# Every lock that a version of jobplane has waited for, and those that nobody may wait for.
_CLAIMS, _CLOCKS, _LOGS = (74001, 0), 74002, (74200, 0)
_LOCKED: Final = ("lanes", "new_ids", "logs", "clocks", "limits", "tenants", "definitions", "queues", "migrations")
_MODES: Final = ("row share", "row exclusive", "share update exclusive", "share", "exclusive", "access exclusive")
_LINE: Final = "select * from jobplane.log_lines(%s, '{1}', %s, '{1}', array[now()], '{info}', '{x}')"


@pytest.fixture
def stranger(db: Database) -> Connection:
    """It may connect, and has no grant."""
    return db.connect("stranger", autocommit=False)


@pytest.fixture
def quick(stage: Stage) -> Stage:
    """Whoever has to wait is told at once."""
    stage.db.own(f"alter database {stage.db.name} set lock_timeout = '100ms'")
    return stage


def _hold(stranger: Connection, *keys: int) -> None:
    places = ", ".join(["%s"] * len(keys))
    stranger.execute(f"select pg_advisory_lock({places})".encode(), keys)


def test_a_strangers_lock_stops_no_claim(quick: Stage, stranger: Connection) -> None:
    quick.app().enqueue_many(3)
    _hold(stranger, *_CLAIMS)

    assert len(quick.worker(never_waits=True).claim(3)) == 3


def test_a_strangers_lock_stops_no_change_of_a_gate(quick: Stage, stranger: Connection) -> None:
    _hold(stranger, *_CLAIMS)

    quick.admin.set_tenant(quick.alice, max_in_flight=1)
    quick.admin.define("d", max_running=7)
    for verb in ("pause_tenants", "resume_tenants"):
        quick.admin.run(f"select jobplane.{verb}(%s)", [quick.alice])


def test_a_strangers_lock_stops_no_clock(quick: Stage, stranger: Connection) -> None:
    [(queue,)] = quick.probe.run("select queue_id from jobplane.queues where name = 'default'")
    stranger.execute("select pg_advisory_lock(%s, hashint8(%s * 1024::bigint + 100))", [_CLOCKS, queue])
    worker, app = quick.worker(), quick.app()

    app.enqueue_many(20)
    worker.settle(worker.claim(10))
    worker.call("tick", False)
    worker.call("tick", False)

    where = f"queue_id = {queue} and priority = 100"
    assert quick.count("clocks", f"{where} and v > 0 and low > 0") == 1


def test_a_strangers_lock_stops_no_id(quick: Stage, stranger: Connection) -> None:
    job = uuid4()
    key = "hashtextextended(concat_ws('/', 'jobplane.id', %s::uuid, %s::uuid), 0)"
    stranger.execute(f"select pg_advisory_lock({key})".encode(), [quick.alice, job])
    app = quick.app()
    app.conn.execute("set lock_timeout = '100ms'")

    assert [app.enqueue(id=job)[:2] for _ in range(2)] == [(job, True), (job, False)]


def test_a_strangers_lock_stops_no_log_line(quick: Stage, stranger: Connection) -> None:
    quick.db.own("alter sequence jobplane.jobs_seq_seq restart with 9000000")
    _hold(stranger, *_LOGS)
    worker = quick.worker()
    quick.app().enqueue()
    [lease] = worker.claim()

    assert worker.run(_LINE, [lease.seq], [lease.token]) == []
    assert quick.count("logs") == 1


def _refused(conn: Connection, statement: str) -> bool:
    try:
        with conn.transaction(force_rollback=True):
            conn.execute(statement.encode())
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


def test_nobody_but_the_engine_can_lock_the_gates(db: Database) -> None:
    for login in ("stranger", *ROLES):
        conn = db.connect(login)
        for mode in ("access share", *_MODES):
            assert _refused(conn, f"lock table jobplane_locks.gates in {mode} mode"), (login, mode)
        for statement in ("select from", "delete from", "table"):
            assert _refused(conn, f"prepare p as {statement} jobplane_locks.gates"), (login, statement)


def test_no_login_can_lock_a_table_that_verbs_write(db: Database) -> None:
    """Maintenance owns the hot ones before PostgreSQL 17."""
    for login in ("stranger", *(role for role in ROLES if role != "maintenance")):
        conn = db.connect(login)
        for table, mode in product(_LOCKED, _MODES):
            assert _refused(conn, f"lock table jobplane.{table} in {mode} mode"), (login, table, mode)


def test_what_a_stranger_has_prepared_stops_no_verb(quick: Stage, stranger: Connection) -> None:
    """PREPARE takes the lock of its statement before privileges are looked at, and keeps it until commit."""
    quick.db.own("alter sequence jobplane.jobs_seq_seq restart with 9000000")
    for number, (table,) in enumerate(
        quick.probe.run(
            "select relname::text from pg_class where relnamespace = 'jobplane'::regnamespace and relkind in ('r', 'p')"
        )
    ):
        stranger.execute(f"prepare p{number} as delete from jobplane.{table}".encode())
    worker, app = quick.worker(), quick.app()
    app.conn.execute("set lock_timeout = '100ms'")

    app.enqueue(id=uuid4(), dedupe_key="k")
    [lease] = worker.claim()
    assert worker.run(_LINE, [lease.seq], [lease.token]) == []
    worker.settle([lease])
    for verb in ("promote", "reap", "expire", "sweep", "tick", "tidy"):
        worker.run(f"select jobplane.{verb}()")
    quick.admin.define("d", max_running=7)
    quick.admin.set_tenant(quick.alice, max_in_flight=1)
    quick.admin.run("select jobplane.pause_queues('{default}')")


def test_no_function_waits_for_an_advisory_lock() -> None:
    waiting = re.compile(r"pg_advisory_\w+")
    sources = [*PACKAGED.rglob("*.sql"), *PACKAGED.parents[1].glob("postgres/*.py")]
    old = {"0001_core.sql", "0002_workers.sql", "0003_logs.sql"}

    assert len(sources) > 100
    assert not {path.name for path in sources if path.name not in old and waiting.search(path.read_text("utf-8"))}


def test_no_verb_of_the_engine_waits_without_a_limit(db: Database) -> None:
    verbs = [name for file in load().code if file.name.startswith("verbs/") for name in file.routines]

    unlimited = db.peek(
        "select proname::text from pg_proc where pronamespace = 'jobplane'::regnamespace and proname = any (%s)"
        " and proowner = 'jobplane_engine'::regrole and 'lock_timeout=2s' <> all (coalesce(proconfig, '{}'))",
        verbs,
    )

    assert len(verbs) > 40
    assert unlimited == []


def test_a_claim_is_told_that_an_operator_keeps_the_gates(stage: Stage) -> None:
    """Also where the session says nothing of a limit, as behind a pooler."""
    worker, operator = stage.worker(), stage.db.connect("admin", autocommit=False)
    worker.conn.execute("set lock_timeout = 0")
    stage.app().enqueue()
    operator.execute("select jobplane.pause_tenants(%s)", [[stage.charlie]])

    with pytest.raises(psycopg.errors.LockNotAvailable):
        worker.claim()
    operator.rollback()

    assert len(worker.claim()) == 1


def test_batches_with_the_same_ids_in_another_order_do_not_deadlock(stage: Stage) -> None:
    hands = [stage.app() for _ in range(4)]
    for _ in range(10):
        ids = [uuid4() for _ in range(8)]
        orders = [ids, ids[::-1], ids[4:] + ids[:4], ids[::2] + ids[1::2]]
        answers = at_once([partial(hand.enqueue_many, 8, ids=order) for hand, order in zip(hands, orders, strict=True)])
        assert Counter(row.outcome for rows in answers for row in rows) == {"created": 8, "existing": 24}


def test_the_second_with_an_id_waits_for_the_first_and_takes_over_from_one_that_gave_up(stage: Stage) -> None:
    job = uuid4()
    for gives_up in (True, False):
        first, second = stage.app(in_transaction=True), stage.app()
        assert first.enqueue(id=job).created
        waiting = stage.later(second, partial(second.enqueue, id=job))
        assert waiting.waits()

        first.rollback() if gives_up else first.commit()

        assert waiting.answer()[:2] == (job, gives_up)
        job = uuid4()


def test_another_tenant_with_the_same_id_does_not_wait(stage: Stage) -> None:
    job, charlie = uuid4(), stage.app(stage.charlie)
    charlie.conn.execute("set lock_timeout = '100ms'")
    stage.app(in_transaction=True).enqueue(id=job)

    assert charlie.enqueue(id=job).created


def test_an_id_leaves_nothing_behind(stage: Stage) -> None:
    app = stage.app(in_transaction=True)
    app.enqueue(id=uuid4())
    app.commit()

    assert stage.count("new_ids") == 0


def test_a_migrator_does_not_wait_for_ever_and_says_who_is_in_its_way(db: Database, stranger: Connection) -> None:
    db.own("update jobplane.installation set code_checksum = 'older'")
    _hold(stranger, script.LOCK)

    with pytest.raises(StoreBusy, match=f"process {stranger.info.backend_pid} of jobplane_stranger"):
        migrate.up(db.url("owner", direct=True), patience=0.5)
    stranger.close()

    assert migrate.up(db.url("owner", direct=True), patience=10).steps


_PLACES: Final = """
select pg_advisory_lock(74100 + place, hashtext(concat_ws('/', %s::uuid, %s::int, 100, %s::int)))
  from generate_series(0, 31) place
"""
_STEP: Final = 1_000_000


def _take_places(stage: Stage, stranger: Connection, size: int | None) -> None:
    """Of alice's line, for jobs one by one or for batches of a size."""
    [(queue,)] = stage.probe.run("select queue_id from jobplane.queues where name = 'default'")
    stranger.execute(_PLACES, [stage.alice, queue, size])


def _crowd(stage: Stage, producers: int) -> None:
    """So many who do not see each other end up at one place."""
    apps = [stage.app(in_transaction=True) for _ in range(producers)]
    for app in apps:
        app.enqueue()
    for app in apps:
        app.commit()
        app.conn.close()


def _steps(stage: Stage) -> float:
    """How long alice's line is, in steps of its own."""
    return stage.probe.run("select max(tag) from jobplane.ready where tenant_id = %s", stage.alice)[0][0] / _STEP


def test_whoever_holds_all_places_of_a_line_pushes_it_back_by_64_jobs(stage: Stage, stranger: Connection) -> None:
    _take_places(stage, stranger, None)
    app, lengths = stage.app(), [0.0]
    for crowds in range(1, 11):
        _crowd(stage, 12)
        app.enqueue_many(1)
        for _ in range(27):
            app.enqueue()
        lengths.append(_steps(stage))
        assert lengths[-1] <= 1.5 * 40 * crowds + 64

    assert lengths[1] >= 64 + 12, "it was not pushed at all, this shows nothing"


def test_whoever_holds_all_places_of_batches_makes_a_line_eight_times_as_long_at_most(
    stage: Stage, stranger: Connection
) -> None:
    _take_places(stage, stranger, 3)  # the power of four that is nearest to 100
    app = stage.app()
    for batches in range(1, 31):
        app.enqueue_many(100)
        assert _steps(stage) <= 8.2 * 100 * batches + 64 * 100

    assert _steps(stage) >= 4 * 3000, "it was not pushed at all, this shows nothing"
