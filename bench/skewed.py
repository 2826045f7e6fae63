"""skewed: one tenant with a million jobs and 999 with ten: what fairness costs, and how soon the small ones are out."""

from __future__ import annotations

from typing import Final

from bench import seed
from bench.drains import draining
from bench.hands import Hand
from bench.measure import Plan, interleave
from bench.rig import Database, Rig
from bench.table import Table

SMALL_TENANTS: Final = 999
SMALL_JOBS: Final = 9_990
BATCH: Final = 500


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    many = plan.pick(1_000_000, 50_000)
    fair, in_order = _template(rig, many, "ready"), _template(rig, many, "in order")
    cases = {
        "in the order of arrival": draining(rig, in_order, _nothing),
        "fair": draining(rig, fair, _nothing),
    }
    title = f"skewed: one tenant with {many:,}, 999 with ten; batch {BATCH}, two connections"
    drained = await interleave(Table("skewed", title, "in the order of arrival"), cases, plan, plan.pick(6, 2))
    waits = Table("small-tenants", "skewed: jobs claimed until the small ones' 9,990 were out", "their share", "jobs")
    waits.add("their share", SMALL_JOBS + 10)
    waits.add("fair", await _claimed_until_out(rig, fair))
    waits.show()
    for template in (fair, in_order):
        rig.forget(template)
    return [drained, waits]


def _template(rig: Rig, many: int, state: str) -> str:
    def prepare(database: Database) -> None:
        seed.jobs(database, many, tenants=1, state=state)
        seed.jobs(database, SMALL_JOBS, tenants=SMALL_TENANTS, first=1, state=state)

    return rig.template(f"skewed_{state.replace(' ', '_')}", prepare, of=seed.ours(rig, SMALL_TENANTS + 1))


async def _claimed_until_out(rig: Rig, template: str) -> int:
    with rig.fresh(template) as database:
        hand = await Hand.connect(database)
        claimed = small = 0
        while small < SMALL_JOBS:
            leases = await hand.claim(BATCH)
            small += sum(lease["tenant_id"] != seed.tenant(0) for lease in leases)
            claimed += len(leases)
            await hand.settle(leases)
        await hand.conn.close()
    return claimed


def _nothing(_database: Database) -> None:
    """The template has it all."""
