"""pinned: the verbs' times while a snapshot is held open: after many jobs, after an hour of a hot row's versions."""

from __future__ import annotations

from typing import Final

from bench import seed
from bench.drains import crew
from bench.grid import Grid
from bench.measure import Plan
from bench.probes import Probes, probing
from bench.rig import Database, Rig
from bench.snapshot import snapshot
from bench.table import Table

PORTION: Final = 20_000
VERSIONS: Final = 72_000  # an hour of 20 a second
# By its address, and each in a transaction of its own: by its key, each update would read all versions before it.
UPDATES: Final = """do $$
declare v_at tid;
begin
  select ctid into strict v_at from jobplane.{table} where {row};
  for i in 1..{n} loop
    update jobplane.{table} set {column} = {column} where ctid = v_at returning ctid into v_at;
    commit;
  end loop;
end $$"""


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    await _after_jobs(rig, *plan.pick((100_000, 300_000), (5_000, 15_000)))
    await _after_versions(rig, plan.pick(VERSIONS, VERSIONS // 10))
    return []


async def _after_jobs(rig: Rig, some: int, many: int) -> None:
    grid = Grid("pinned: a snapshot held open while jobs pass; nothing else runs while a call is timed")
    with rig.fresh(seed.ours(rig)) as database:
        async with probing(database) as probes:
            await probes.read()
            async with snapshot(database):
                grid.stages["at the start"] = await probes.read()
                await _pass(database, some)
                grid.stages[f"after {some:,} jobs"] = await probes.read()
                await _pass(database, many - some)
                grid.stages[f"after {many:,} jobs"] = await probes.read()
            grid.stages["the snapshot gone, vacuumed"] = await _recovered(database, probes)
    grid.show()


async def _after_versions(rig: Rig, versions: int) -> None:
    """Every job counts against one limit, so that a claim reads both rows."""
    grid = Grid(f"pinned: {versions:,} versions of one row under a held snapshot, every job with one limit key")
    with rig.fresh(seed.ours(rig)) as database:
        seed.define(database, '{"max_running": 100000}')
        async with probing(database) as probes:
            await probes.read()
            async with snapshot(database):
                grid.stages["at the start"] = await probes.read()
                _update(database, "clocks", "v", "(queue_id, priority) = (1, 100)", versions)
                grid.stages["versions of the clock's row"] = await probes.read()
                _update(database, "limits", "used", "limit_key like 'd/%'", versions)
                grid.stages["and of the limit's row"] = await probes.read()
            grid.stages["the snapshot gone, vacuumed"] = await _recovered(database, probes)
    grid.show()


async def _pass(database: Database, jobs: int) -> None:
    portion = min(jobs, PORTION)
    async with crew(database) as members:
        for _ in range(jobs // portion):
            seed.jobs(database, portion)
            await members.drain(500, portion)


def _update(database: Database, table: str, column: str, row: str, n: int) -> None:
    statement = UPDATES.format(table=table, column=column, row=row, n=n)
    database.own("set role jobplane_engine", "set synchronous_commit = off", statement)


async def _recovered(database: Database, probes: Probes) -> dict[str, float]:
    database.settle_down()
    return await probes.read()
