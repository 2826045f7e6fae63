"""growth: claim and settle beside a million jobs that are queued, in the future, finished or blocked, and by tenant."""

from __future__ import annotations

from typing import Final

from bench import seed
from bench.drains import draining
from bench.measure import Case, Plan, interleave
from bench.rig import Database, Rig
from bench.table import Table

BASE: Final = "10k queued"
# A slice; as many more stay in line, so that its last claims do not run on into the blocked jobs and move them all.
JOBS: Final = 10_000
BLOCKED: Final = 100  # the number of a tenant that no other job belongs to


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    many = plan.pick(1_000_000, 50_000)
    cases = {
        BASE: _case(rig),
        "many queued": _case(rig, many=many),
        "10k queued, many in the future": _case(rig, many=many, state="upcoming"),
        "10k queued, many finished": _case(rig, many=many, state="ended"),
        "10k queued, many blocked at their places": _case(rig, many=many, blocked=True),
        "10k queued, many blocked, held": _case(rig, many=many, state="held", blocked=True),
        "10k queued, 1 tenant": _case(rig, tenants=1),
        "10k queued, 10,000 tenants": _case(rig, tenants=10_000),
    }
    title = f"growth: claim + settle, batch 500, two connections, 100 tenants; many is {many:,}"
    table = Table("growth", title, BASE)
    cases = plan.few(cases, BASE, "many queued", "10k queued, 1 tenant", "10k queued, 10,000 tenants")
    result = await interleave(table, cases, plan, plan.pick(6, 2))
    for state in ("ready", "upcoming", "ended", "held"):
        for blocked in (False, True):
            rig.forget(_name(state, blocked))
    return [result]


def _name(state: str, blocked: bool) -> str:
    return f"{state}_blocked" if blocked else f"{state}_open"


def _case(rig: Rig, *, many: int = 0, state: str = "ready", blocked: bool = False, tenants: int = 100) -> Case:
    template = seed.ours(rig, max(tenants, BLOCKED) + 1)
    if many:
        template = _crowded(rig, template, many, state, blocked)

    def put(database: Database) -> None:
        seed.jobs(database, JOBS, tenants=tenants)

    return draining(rig, template, put, jobs=JOBS, top_up=put)


def _crowded(rig: Rig, template: str, many: int, state: str, blocked: bool) -> str:
    """A million jobs in one state, of the tenants at large or of one that is paused."""

    def prepare(database: Database) -> None:
        first, tenants = (BLOCKED, 1) if blocked else (0, 100)
        seed.jobs(database, many, tenants=tenants, first=first, state=state)
        if blocked:
            database.run("select jobplane.pause_tenants(array[%s]::uuid[])", seed.tenant(BLOCKED))

    return rig.template(_name(state, blocked), prepare, of=template)
