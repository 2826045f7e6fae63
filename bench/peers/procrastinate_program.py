"""A worker and a producer of procrastinate, each a process of its own, with the concurrency that served it best."""

from __future__ import annotations

from typing import Final

import procrastinate

from bench.peers.procrastinate import app_of, send
from bench.peers.program import URL, handler, paced, run
from bench.produce import payload

CONCURRENCY: Final = 20
SEED_BATCH: Final = 1000


def _seed(count: int) -> None:
    app, noop = app_of(URL)
    with app.open():
        for first in range(0, count, SEED_BATCH):
            send(noop, min(SEED_BATCH, count - first))


async def _send(first: int, count: int, rate: int) -> None:
    app, noop = app_of(URL)

    async def defer(number: int) -> None:
        noop.defer(**payload(number))

    with app.open():
        await paced(first, count, rate, defer)


def _work() -> None:
    connector = procrastinate.PsycopgConnector(conninfo=URL, min_size=4, max_size=CONCURRENCY + 4)
    app, handle = procrastinate.App(connector=connector), handler()

    @app.task(name="noop", queue="noop")
    async def noop(i: int, pad: str) -> None:  # noqa: ARG001
        handle(i)

    app.run_worker(concurrency=CONCURRENCY)


if __name__ == "__main__":
    run({"seed": _seed, "send": _send, "work": _work})
