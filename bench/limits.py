"""limits: what gates cost that count, that bind, and that are shut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bench import seed
from bench.drains import draining
from bench.measure import Case, Plan, interleave
from bench.rig import Database, Rig
from bench.table import Table

BASE: Final = "no limit"
WIDE: Final = 100_000
JOBS: Final = 10_000
BINDING_JOBS: Final = 3_000  # slower: the slices shall be as long as the others
PAUSED: Final = 100

Setting = Callable[[Database], None]


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    slices = plan.pick(6, 1)
    cases = {
        BASE: _case(rig, slices),
        "one tenant of 100 has a limit": _case(rig, slices, _one_tenant),
        "every job one key, 100 keys": _case(rig, slices, _defined(max_running_per_tenant=WIDE)),
        "every job one key, the same for all": _case(rig, slices, _defined(max_running=WIDE)),
        "every job two keys": _case(rig, slices, _every_tenant, _defined(max_running_per_tenant=WIDE)),
        "every job three keys": _case(
            rig, slices, _every_tenant, _defined(max_running_per_tenant=WIDE, max_running=WIDE)
        ),
        "every job one key, 3 slots each: all binding": _case(
            rig, slices, _defined(max_running_per_tenant=3), jobs=BINDING_JOBS
        ),
        "100k rows behind a pause": _case(rig, slices, _pause),
    }
    table = Table("limits", "limits: claim + settle, batch 500, two connections, 100 tenants", BASE)
    cases = plan.few(cases, BASE, "every job one key, 100 keys", "every job one key, 3 slots each: all binding")
    return [await interleave(table, cases, plan, slices)]


def _case(rig: Rig, slices: int, *settings: Setting, jobs: int = JOBS) -> Case:
    def prepare(database: Database) -> None:
        seed.jobs(database, (jobs + 1000) * slices)
        for setting in settings:
            setting(database)

    return draining(rig, seed.ours(rig, PAUSED + 1), prepare, jobs=jobs)


def _defined(**limits: int) -> Setting:
    changes = ", ".join(f'"{name}": {value}' for name, value in limits.items())
    return lambda database: seed.define(database, f"{{{changes}}}")


def _one_tenant(database: Database) -> None:
    database.run("select jobplane.set_tenant(%s, %s::jsonb)", seed.tenant(1), f'{{"max_in_flight": {WIDE}}}')


def _every_tenant(database: Database) -> None:
    database.run("update jobplane.tenants set max_in_flight = %s", WIDE)


def _pause(database: Database) -> None:
    seed.jobs(database, 100_000, tenants=1, first=PAUSED)
    database.run("select jobplane.pause_tenants(array[%s]::uuid[])", seed.tenant(PAUSED))
