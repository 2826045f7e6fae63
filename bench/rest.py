"""rest: requests a second and p99 of the API beside a bare route, followers of a log, start of the command line."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import httpx2

from bench import seed, served
from bench.contenders import ROOT
from bench.cpu import PROC
from bench.measure import Plan
from bench.rig import Database, Rig
from bench.table import Table

BARE: Final = "a bare route, one indexed statement"
CLIENTS: Final = 8
FEW: Final = 10_000
PLAIN: Final = """
create table public.plain_jobs as select j.id, j.payload from jobplane.jobs j limit 10000;
create unique index on public.plain_jobs (id);
grant select on public.plain_jobs to jobplane_app;
"""
Request = Callable[[httpx2.AsyncClient], Awaitable[httpx2.Response]]


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    many = plan.pick(1_000_000, 50_000)
    rates = Table("rest", f"rest: {CLIENTS} clients, one server process; many is {many:,} jobs", BARE, "req/s")
    slowest = Table("rest p99", "the same: the 99th percentile of an answer", BARE, "ms")
    with (
        _filled(rig, FEW) as small,
        _filled(rig, many) as large,
        _plain(small) as plain,
        _served(small) as few,
        _served(large) as lots,
    ):
        cases = {
            BARE: (plain, _get(f"/jobs/{_ids(small, 1)[0]}")),
            "get a job": (few, _get(f"/api/v1/jobs/{_ids(small, 1)[0]}")),
            "enqueue a job": (few, _post("/api/v1/jobs", {"definition_key": "noop", "payload": {"n": 1}})),
            "list 50 jobs of 10k": (few, _get("/api/v1/jobs?limit=50")),
            "list 50 jobs of many": (lots, _get("/api/v1/jobs?limit=50")),
            "list 50 failed jobs of many": (lots, _get("/api/v1/jobs?limit=50&status=failed")),
        }
        for _ in range(plan.rounds):
            for name, (place, request) in cases.items():
                rate, p99 = await _load(*place, request, plan.pick(5.0, 1.5))
                rates.add(name, rate)
                slowest.add(name, p99)
        followers = await _follow(few, small, plan.pick(500, 50))
    rates.show()
    slowest.show()
    ratio = slowest.ratio("list 50 jobs of many", "list 50 jobs of 10k")
    print(f"  {'list 50 jobs of many, by those of 10k':<46} {ratio:9.2f}")
    followers.show(with_ratios=False)
    return [rates, slowest, followers, _starts(plan)]


def _get(path: str) -> Request:
    return lambda client: client.get(path)


def _post(path: str, body: Mapping[str, Any]) -> Request:
    return lambda client: client.post(path, json=body)


@contextmanager
def _filled(rig: Rig, jobs: int) -> Generator[Database]:
    """A tenant with so many jobs, most of which have ended."""

    def prepare(database: Database) -> None:
        seed.migrated(database)
        seed.define(database, "{}")
        seed.tenants(database, 1)
        seed.jobs(database, jobs - jobs // 10, tenants=1, state="ended")
        seed.jobs(database, jobs // 10, tenants=1, state="ready")

    with rig.fresh(rig.template(f"rest_{jobs}", prepare)) as database:
        yield database


def _ids(database: Database, count: int) -> list[str]:
    return [str(row[0]) for row in database.run(f"select id from jobplane.jobs order by seq desc limit {count}")]


@contextmanager
def _plain(database: Database) -> Generator[tuple[str, dict[str, str], int]]:
    database.own(*PLAIN.strip().split("\n"))
    port = served.free_port()
    words = [
        "-m",
        "uvicorn",
        "bench.plain_route:app",
        "--port",
        str(port),
        "--log-level",
        "warning",
        "--http",
        "httptools",
    ]
    process = subprocess.Popen([sys.executable, *words], cwd=ROOT, env={**os.environ, "BENCH_URL": database.url("app")})
    try:
        yield f"http://127.0.0.1:{port}", {}, process.pid
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _served(database: Database) -> Generator[tuple[str, dict[str, str], int]]:
    """A server on this database, and a key of the tenant."""
    headers = {"Authorization": f"Bearer {served.key(database, 'tenant_admin', seed.tenant(0))}"}
    with served.serving(database) as (url, pid):
        yield url, headers, pid


async def _load(url: str, headers: dict[str, str], _: int, request: Request, seconds: float) -> tuple[float, float]:
    """Requests a second, and the 99th percentile in milliseconds."""
    took: list[float] = []
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=30) as client:
        await served.until_answered(lambda: request(client))
        until = time.perf_counter() + seconds

        async def ask() -> None:
            while (began := time.perf_counter()) < until:
                (await request(client)).raise_for_status()
                took.append(time.perf_counter() - began)

        await asyncio.gather(*[ask() for _ in range(CLIENTS)])
    return len(took) / seconds, statistics.quantiles(took, n=100)[98] * 1000


async def _follow(place: tuple[str, dict[str, str], int], database: Database, listeners: int) -> Table:
    """What the server holds while so many listen to the log of one job."""
    url, headers, pid = place
    table = Table("followers", f"memory of the server with {listeners} followers of one log", "before", "MB")
    table.add("before", _megabytes(pid))
    limits = httpx2.Limits(max_connections=listeners + 10)
    path = f"/api/v1/jobs/{_ids(database, 1)[0]}/logs?follow=true"
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60, limits=limits) as client:
        opened = asyncio.Semaphore(0)

        async def listen() -> None:
            async with client.stream("GET", path) as answer:
                async for _ in answer.aiter_lines():
                    opened.release()

        tasks = [asyncio.create_task(listen()) for _ in range(listeners)]
        for _ in range(listeners):
            await opened.acquire()
        table.add("while they listen", _megabytes(pid))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return table


def _megabytes(pid: int) -> float:
    text = (PROC / str(pid) / "status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def _starts(plan: Plan) -> Table:
    table = Table("cli start", "start of the command line", "python -c pass", "ms")
    commands = {
        "python -c pass": ["-c", "pass"],
        "jobplane --help": ["-m", "jobplane", "--help"],
        "jobplane jobs ls --help": ["-m", "jobplane", "jobs", "ls", "--help"],
    }
    for _ in range(plan.pick(9, 3)):
        for name, words in commands.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, check=True)
            table.add(name, (time.perf_counter() - began) * 1000)
    table.show(with_ratios=False)
    return table
