"""Producers: loops that enqueue for some seconds, one connection each."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import asyncpg
import jsonschema_rs
import orjson
from asyncpg.prepared_stmt import PreparedStatement

from bench import bare
from bench.measure import Span, Stand
from bench.rig import Database
from bench.seed import tenant

WARM_UP_CALLS: Final = 20

# What a client judges payloads by before it sends them; part of the work where many are sent.
VALIDATOR: Final = jsonschema_rs.validator_for(
    {
        "type": "object",
        "properties": {"i": {"type": "integer"}, "pad": {"type": "string", "maxLength": 100}},
        "required": ["i"],
        "additionalProperties": False,
    }
)


def payload(number: int) -> dict[str, int | str]:
    return {"i": number, "pad": "x" * 80}


@dataclass(frozen=True, slots=True)
class Door:
    """How jobs are enqueued: one statement for one job, one for many."""

    role: str
    one: str
    many: str
    settings: Mapping[str, str] = field(default_factory=dict[str, str])


TENANT: Final = "(select set_config('jobplane.tenant_id', $1::uuid::text, true)) s"
KEYS: Final = "array_fill('noop'::text, array[cardinality($2::jsonb[])])"
OURS: Final = Door(
    "app",
    f"select e.job_id from {TENANT}, lateral jobplane.enqueue('noop', $2) e",
    f"select e.job_id from {TENANT}, lateral jobplane.enqueue_many({KEYS}, $2) e",
)
BARE: Final = Door(
    "owner", bare.ENQUEUE_ONE, bare.ENQUEUE_MANY, {"role": "jobplane_engine", "plan_cache_mode": "force_generic_plan"}
)


@dataclass
class Producer:
    """One connection that enqueues for one tenant, or for many at random."""

    statement: PreparedStatement
    tenants: list[UUID]
    batch: int
    validates: bool
    sent: int = 0
    dice: random.Random = field(default_factory=lambda: random.Random(1))

    async def send(self) -> None:
        owner = self.dice.choice(self.tenants)
        if self.batch == 1:
            await self.statement.fetch(owner, _encoded(self.sent, self.validates))
        else:
            numbers = range(self.sent, self.sent + self.batch)
            await self.statement.fetch(owner, [_encoded(number, self.validates) for number in numbers])
        self.sent += self.batch

    async def send_until(self, deadline: float) -> None:
        while time.perf_counter() < deadline:
            await self.send()


def _encoded(number: int, validates: bool) -> str:
    body = payload(number)
    if validates:
        VALIDATOR.validate(body)
    return orjson.dumps(body).decode()


@asynccontextmanager
async def producing(
    database: Database, door: Door, seconds: float, *, batch: int = 1, producers: int = 1, tenants: int = 100
) -> AsyncGenerator[Stand]:
    """Producers at work in slices of so many seconds."""
    settings, statement = dict(door.settings), door.one if batch == 1 else door.many
    owners = [tenant(number) for number in range(tenants)]
    async with AsyncExitStack() as stack:
        crew: list[Producer] = []
        for _ in range(producers):
            conn = await asyncpg.connect(database.url(door.role), server_settings=settings)
            stack.push_async_callback(conn.close)
            crew.append(Producer(await conn.prepare(statement), owners, batch, door is OURS))

        async def step() -> Span:
            before, start = sum(producer.sent for producer in crew), time.perf_counter()
            await asyncio.gather(*(producer.send_until(start + seconds) for producer in crew))
            took = time.perf_counter() - start
            return Span(sum(producer.sent for producer in crew) - before, took)

        for _ in range(WARM_UP_CALLS // batch + 1):
            await asyncio.gather(*(producer.send() for producer in crew))
        yield Stand(database, step)
