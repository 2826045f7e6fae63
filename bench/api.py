"""api: typed enqueue one by one and in bulk beside other queues, and what `conn=` costs in your own transaction."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from bench import bare, seed
from bench.enqueue import SLICE_SECONDS
from bench.measure import Case, Plan, Span, Stand, interleave
from bench.peers import pgqueuer, procrastinate
from bench.produce import WARM_UP_CALLS, payload
from bench.rig import Database, Rig
from bench.table import Table
from jobplane import JobFunction, Jobplane

ALONE: Final = "an insert of your own"
ORDER: Final = b"insert into orders values (1)"
ORDERS: Final = ("create table orders (id int)", "grant insert on orders to jobplane_app, jobplane_engine")

Connection = psycopg.Connection[tuple[Any, ...]]
Send = Callable[[int], Awaitable[None]]


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    slices = plan.pick(10, 3)
    return [
        await _beside_peers(rig, plan, slices, "api-1", "typed enqueue one by one", 1),
        await _beside_peers(rig, plan, slices, "api-1000", "typed enqueue in batches of 1000", 1000),
        await _in_a_transaction(rig, plan, slices),
    ]


async def _beside_peers(rig: Rig, plan: Plan, slices: int, key: str, title: str, batch: int) -> Table:
    cases = {
        "pgqueuer": pgqueuer.case(rig, SLICE_SECONDS, batch),
        "procrastinate": procrastinate.case(rig, SLICE_SECONDS, batch),
        "jobplane": _typed(rig, batch),
    }
    return await interleave(Table(key, title, "pgqueuer"), cases, plan, slices)


def _typed(rig: Rig, batch: int) -> Case:
    @asynccontextmanager
    async def ready() -> AsyncGenerator[Stand]:
        with rig.fresh(seed.ours(rig)) as database:
            async with Jobplane(database.url("app")) as jp:
                noop = jp.job("noop")(_noop)

                async def send(number: int) -> None:
                    if batch == 1:
                        await noop.enqueue_async(i=number, pad="x" * 80)
                    else:
                        await jp.enqueue_many_async([noop.call(i=i, pad="x" * 80) for i in range(batch)])

                yield await _stand(database, send, batch)

    return ready


def _noop(i: int, pad: str) -> None:
    """Do nothing."""


async def _stand(database: Database, send: Send, batch: int = 1) -> Stand:
    for number in range(WARM_UP_CALLS // batch + 1):
        await send(number)

    async def step() -> Span:
        calls, start = 0, time.perf_counter()
        while time.perf_counter() < start + SLICE_SECONDS:
            await send(calls)
            calls += 1
        return Span(calls * batch, time.perf_counter() - start)

    return Stand(database, step)


async def _in_a_transaction(rig: Rig, plan: Plan, slices: int) -> Table:
    cases = {
        ALONE: _transaction(rig, "app", _nothing),
        "and a bare insert of a job": _transaction(rig, "owner", _bare),
        "and an enqueue with conn=": _transaction(rig, "app", _lent),
    }
    title = "one transaction with psycopg: an insert of your own, and a job"
    return await interleave(Table("api-conn", title, ALONE, "commits/s"), cases, plan, slices)


def _transaction(rig: Rig, role: str, act: Callable[[Connection, JobFunction[..., ..., None], int], None]) -> Case:
    @asynccontextmanager
    async def ready() -> AsyncGenerator[Stand]:
        with (
            rig.fresh(seed.ours(rig)) as database,
            _connected(database, role) as conn,
            Jobplane(database.url("app")) as jp,
        ):
            noop = jp.job("noop")(_noop)

            async def send(number: int) -> None:
                with conn.transaction():
                    conn.execute(ORDER)
                    act(conn, noop, number)

            yield await _stand(database, send)

    return ready


@contextmanager
def _connected(database: Database, role: str) -> Generator[Connection]:
    database.own(*ORDERS)
    with psycopg.connect(database.url(role), autocommit=True) as conn:
        if role == "owner":
            conn.execute("set role jobplane_engine; set plan_cache_mode = force_generic_plan")
        yield conn


def _nothing(_conn: Connection, _noop: JobFunction[..., ..., None], _number: int) -> None:
    """The order alone."""


def _bare(conn: Connection, _noop: JobFunction[..., ..., None], number: int) -> None:
    statement = bare.ENQUEUE_ONE.replace("$1", "%s").replace("$2", "%s")
    conn.execute(statement.encode(), [seed.tenant(0), Jsonb(payload(number))])


def _lent(conn: Connection, noop: JobFunction[..., ..., None], number: int) -> None:
    noop.options(conn=conn).enqueue(i=number, pad="x" * 80)
