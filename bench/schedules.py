"""schedules: planned times that a scheduler fires a second, and one look where none of a million schedules is due."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench import seed
from bench.facts import insert
from bench.measure import Case, Plan, Span, Stand, interleave
from bench.rig import Database, Rig
from bench.table import Table
from jobplane.control.firing import Firing
from jobplane.core.timetable import TZDATA_VERSION
from jobplane.store.base import EngineStore
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore
from jobplane.store.sqlite.store import SqliteStore
from jobplane.store.verbs.engine import PutDefinitions
from jobplane.store.verbs.triggers import FindDueTriggers

ONE: Final = "one tenant"
DUE: Final = 10_000  # all at once; they must be fired within a minute, or the rest is late and is paced
SLICES: Final = 5
# What a schedule of every day says; the tenant, the id and the times come with each dialect.
_SAID: Final = {
    "label": "'bench'",
    "trigger_type": "'schedule'",
    "interval_seconds": "86400",
    "payload_template": "'{}'",
    "dedupe_window_seconds": "300",
    "missed": "'latest'",
    "missed_limit": "10",
    "overlap": "'allow'",
    "spread_seconds": "0",
    "zone_version": f"'{TZDATA_VERSION}'",
    "version": "1",
    "created_by": "'{}'",
}
_UUID: Final = "printf('%08x-0000-7000-8000-%012x', g, g)"
_TIMES: Final = ("starts_at", "next_run_at", "due_at", "enabled_at", "created_at", "updated_at")


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    due, many = plan.pick(DUE, 1000), plan.pick(1_000_000, 20_000)
    cases = {ONE: _case(rig, 1, due), "1,000 tenants": _case(rig, 1000, due)}
    table = Table("schedules", f"schedules: {due:,} that are due, in batches of 100", ONE, unit="fires/s")
    fired = await interleave(table, cases, plan, SLICES)
    lite = Table("schedules-sqlite", f"SQLite: {due:,} schedules that are due", ONE, unit="fires/s")
    for _ in range(plan.rounds):
        for name, tenants in ((ONE, 1), ("1,000 tenants", 1000)):
            lite.add(name, await _fire_in_sqlite(tenants, due))
    lite.show()
    return [fired, lite, await _look(rig, plan, many)]


def _case(rig: Rig, tenants: int, due: int) -> Case:
    @asynccontextmanager
    async def case() -> AsyncGenerator[Stand]:
        with rig.fresh(seed.ours(rig, 1000)) as database:
            _plan(database, due, tenants, "now()")
            database.settle_down()
            async with _opened(database) as store:
                firing = Firing(store, by="bench")
                yield Stand(database, lambda: _fire(firing, due // SLICES))

    return case


async def _fire(firing: Firing, fires: int) -> Span:
    began, fired = time.perf_counter(), 0
    while fired < fires:
        fired += len((await firing.run_once()).fired)
    return Span(fired, time.perf_counter() - began)


async def _look(rig: Rig, plan: Plan, many: int) -> Table:
    """Looks a second: nothing is due before tomorrow."""
    table = Table("schedules-tick", f"schedules: looks at {many:,} of which none is due", "PostgreSQL", unit="looks/s")
    with rig.fresh(seed.ours(rig, 1000)) as database:
        _plan(database, many, 1000, "now() + interval '1 day' + g * interval '1 ms'")
        database.settle_down()
        async with _opened(database) as store:
            for _ in range(plan.rounds):
                table.add("PostgreSQL", await _looks(store, plan.pick(1000, 100)))
    table.show(with_ratios=False)
    return table


async def _looks(store: EngineStore, times: int) -> float:
    await store.run(FindDueTriggers())
    began = time.perf_counter()
    for _ in range(times):
        await store.run(FindDueTriggers())
    return times / (time.perf_counter() - began)


@asynccontextmanager
async def _opened(database: Database) -> AsyncGenerator[PostgresStore]:
    async with PostgresStore(Settings(urls={"scheduler": database.url("scheduler")})) as store:
        yield store


def _plan(database: Database, count: int, tenants: int, at: str) -> None:
    """Make schedules of the tenants in turn, as rows; `at` is the next planned time of number g, as SQL."""
    columns = {"tenant_id": seed.tenant_sql(0, tenants), "trigger_id": "gen_random_uuid()", **_SAID}
    columns |= {"once": "false", "is_enabled": "true", "definition_id": "d.definition_id", **dict.fromkeys(_TIMES, at)}
    rows = f"from generate_series(1, {count}) g, (select definition_id from jobplane.definitions where key = 'noop') d"
    database.run(insert("triggers", columns, rows))


async def _fire_in_sqlite(tenants: int, due: int) -> float:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "jobs.db"
        async with SqliteStore(path) as store:
            await store.run(PutDefinitions([{"key": "noop", "kind": "python", "arg_schema": True}]))
        _plan_in_sqlite(path, due, tenants)  # while the store is closed: this is another SQLite in the same process
        async with SqliteStore(path) as store:
            span = await _fire(Firing(store, by="bench"), due)
            return span.jobs / span.seconds


def _plan_in_sqlite(path: Path, count: int, tenants: int) -> None:
    now = str(time.time_ns() // 1000)
    tenant = {"tenant_no": "100 + g", "slug": "'bench-' || g", "tenant_id": _UUID, "created_at": now, "updated_at": now}
    columns = {"tenant_no": f"100 + g % {tenants}", "trigger_id": _UUID, **_SAID, "once": "0", "is_enabled": "1"}
    columns |= {"definition_id": "(select definition_id from jobplane_definitions where key = 'noop')"}
    columns |= dict.fromkeys(_TIMES, now)
    with closing(sqlite3.connect(path)) as db, db:
        for table, values, rows in (("tenants", tenant, tenants), ("triggers", columns, count)):
            series = f"with recursive s(g) as (select 0 union all select g + 1 from s where g < {rows - 1})"
            db.execute(f"{series} {insert(table, values, 'from s')}".replace("jobplane.", "jobplane_"))
