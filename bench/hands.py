"""Workers that do nothing but claim and settle, one connection each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from bench import bare
from bench.rig import Database

PAUSE_SECONDS: Final = 0.002
PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Way:
    """How jobs are claimed and settled."""

    role: str
    claim: str
    settle: str
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    fenced: bool = False


OURS: Final = Way(
    "worker",
    "select * from jobplane.claim('default', 'bench', $1)",
    "select * from jobplane.settle($1, $2, $3, $4, p_quiet => true)",
    fenced=True,
)
BARE: Final = Way("owner", bare.CLAIM, bare.SETTLE, {"role": "jobplane_engine", **bare.PLANNER})
RAW: Final = Way("owner", bare.RAW_CLAIM, bare.RAW_SETTLE, bare.PLANNER)


@dataclass(slots=True)
class Hand:
    """One connection that claims and settles."""

    way: Way
    conn: asyncpg.Connection
    claiming: PreparedStatement
    settling: PreparedStatement

    @classmethod
    async def connect(cls, database: Database, way: Way = OURS) -> Hand:
        conn = await asyncpg.connect(database.url(way.role), server_settings=dict(way.settings))
        return cls(way, conn, await conn.prepare(way.claim), await conn.prepare(way.settle))

    async def claim(self, limit: int) -> list[asyncpg.Record]:
        if not self.way.fenced:
            return await self.claiming.fetch(limit, uuid4())
        leases = await self.claiming.fetch(limit)
        return leases[:-1] if leases and leases[-1]["more"] else leases

    async def settle(self, leases: list[asyncpg.Record]) -> None:
        seqs = [lease["seq"] for lease in leases]
        if not self.way.fenced:
            await self.settling.fetch(seqs)
            return
        numbers = [lease["attempt_no"] for lease in leases]
        tokens = [lease["token"] for lease in leases]
        await self.settling.fetch(seqs, numbers, tokens, ["succeeded"] * len(leases))


@dataclass
class Drain:
    """Hands that work side by side until a number of jobs has passed."""

    batch: int
    goal: int
    done: int = 0
    taken: int = 0

    async def work(self, hand: Hand) -> None:
        deadline = time.perf_counter() + PATIENCE_SECONDS
        while self.taken < self.goal and time.perf_counter() < deadline:
            leases = await hand.claim(self.batch)
            if leases:
                self.taken += len(leases)
                await hand.settle(leases)
                self.done += len(leases)
            else:
                await asyncio.sleep(PAUSE_SECONDS)
