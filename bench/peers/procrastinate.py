"""procrastinate: its synchronous psycopg connector, the fastest way it has to defer."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import procrastinate
from procrastinate.tasks import Task
from procrastinate.types import JSONDict

from bench.measure import Case, Span, Stand
from bench.produce import WARM_UP_CALLS, payload
from bench.rig import Database, Rig

Noop = Task[Any, Any, Any]


def case(rig: Rig, seconds: float, batch: int) -> Case:
    """Defer in slices of so many seconds."""

    @asynccontextmanager
    async def ready() -> AsyncGenerator[Stand]:
        with rig.fresh(rig.template("procrastinate", install)) as database:
            app, noop = app_of(database.url("owner"))
            with app.open():
                for _ in range(WARM_UP_CALLS // batch + 1):
                    send(noop, batch)
                yield Stand(database, lambda: _send_for(noop, batch, seconds))

    return ready


def app_of(url: str) -> tuple[procrastinate.App, Noop]:
    app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=url))

    @app.task(name="noop", queue="noop")
    def noop(i: int, pad: str) -> None:
        """Do nothing."""

    return app, noop


def install(database: Database) -> None:
    app, _ = app_of(database.url("owner"))
    with app.open():
        app.schema_manager.apply_schema()


async def _send_for(noop: Noop, batch: int, seconds: float) -> Span:
    calls, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        send(noop, batch)
        calls += 1
    return Span(calls * batch, time.perf_counter() - start)


def send(noop: Noop, batch: int) -> None:
    if batch == 1:
        noop.defer(**payload(0))
    else:
        bodies: list[JSONDict] = [{**payload(number)} for number in range(batch)]
        noop.batch_defer(*bodies)
