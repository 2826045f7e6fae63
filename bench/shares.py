"""shares: what part of the claimed jobs a tenant gets, by its producers, batches, weight and other queues."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg

from bench import seed
from bench.facts import PAYLOAD
from bench.hands import Hand
from bench.measure import Plan
from bench.rig import Database, Rig
from bench.table import Table

A: Final = seed.tenant(0)
B: Final = seed.tenant(1)
TENANT: Final = "select set_config('jobplane.tenant_id', $1, true)"
ENQUEUE: Final = "select job_id from jobplane.enqueue($1, $2)"
ENQUEUE_MANY: Final = "select count(*) from jobplane.enqueue_many($1, $2)"
OTHER: Final = """
select jobplane.put_queues('{other}');
select jobplane.put_definitions(array['{"key": "other", "kind": "python", "queue": "other"}'::jsonb])"""
OPEN_SECONDS: Final = 0.001  # an application does something between its enqueue and its commit


@dataclass(frozen=True, slots=True)
class Scene:
    """Tenant A against tenant B, who has one producer and weight 1."""

    producers: int
    batch: int = 1
    weight: int = 1
    elsewhere: int = 0

    @property
    def fair(self) -> float:
        return self.weight / (self.weight + 1)


SCENES: Final = {
    "20 producers against one": Scene(20),
    "20 producers against one, batches of 100": Scene(20, batch=100),
    "4 producers against one": Scene(4),
    "4 producers against one, batches of 100": Scene(4, batch=100),
    "weights 3 to 1": Scene(1, weight=3),
    "A also fills another queue, three for one": Scene(1, elsewhere=3),
}


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    table = Table("shares", "shares: A's part of the claimed jobs, divided by its fair part", "fair", "share")
    for _ in range(plan.rounds):
        table.add("fair", 1.0)
        for name, scene in plan.few(SCENES, *list(SCENES)[:2]).items():
            table.add(name, await _share(rig, scene, plan.pick(1_600, 400)) / scene.fair)
    table.show()
    return [table]


async def _share(rig: Rig, scene: Scene, calls: int) -> float:
    with rig.fresh(seed.ours(rig)) as database:
        database.run(OTHER)
        database.run("select jobplane.set_tenant(%s, jsonb_build_object('weight', %s::int))", A, scene.weight)
        each = calls if scene.batch == 1 else calls * 10 // scene.batch
        crowd = [_produce(database, A, scene, each // scene.producers) for _ in range(scene.producers)]
        await asyncio.gather(*crowd, _produce(database, B, scene, each))
        return await _claimed(database, each * scene.batch)


async def _produce(database: Database, owner: UUID, scene: Scene, calls: int) -> None:
    conn = await asyncpg.connect(database.url("app"))
    for _ in range(calls):
        async with conn.transaction():
            await conn.execute(TENANT, str(owner))
            if scene.batch == 1:
                await conn.fetch(ENQUEUE, "noop", PAYLOAD)
            else:
                await conn.fetch(ENQUEUE_MANY, ["noop"] * scene.batch, [PAYLOAD] * scene.batch)
            for _ in range(scene.elsewhere if owner == A else 0):
                await conn.fetch(ENQUEUE, "other", PAYLOAD)
            await asyncio.sleep(OPEN_SECONDS)
    await conn.close()


async def _claimed(database: Database, jobs: int) -> float:
    """A's part of the first so many jobs that are claimed."""
    hand = await Hand.connect(database)
    owners: list[bool] = []
    while len(owners) < jobs:
        leases = await hand.claim(50)
        assert leases
        owners += [lease["tenant_id"] == A for lease in leases]
    await hand.conn.close()
    return sum(owners) / len(owners)
