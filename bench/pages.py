"""pages: from the click to the first row of list, job, log and overview, in a browser, with 10k jobs and with many."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import httpx2
from playwright.async_api import Browser, BrowserContext

from bench import browser, history, seed, served
from bench.measure import Plan
from bench.rig import Database, Rig
from bench.table import Table

FEW: Final = "10k"
MANY: Final = "many"
PEOPLE: Final = {"tenant admin": ("tenant_admin", seed.tenant(0)), "super admin": ("super_admin", None)}
# The address of a page, and its first row.
PAGES: Final = {
    "list": ("/jobs", "tbody tr[data-id]"),
    "job": ("/jobs/{ended}", "main li button[aria-pressed]"),
    "log": ("/jobs/{logged}", "[role=log] [data-key]"),
    "overview": ("/", "main li a[href*='/jobs/']"),
}
REQUESTS: Final = {
    "GET /jobs": "/jobs?limit=50",
    "GET /jobs/summary": "/jobs/summary",
    "GET /overview": "/overview",
    "GET /problems": "/problems",
}
# The server remembers counts over all tenants for five seconds, and both requests have the same counts in them.
REMEMBERED: Final = ("GET /jobs/summary", "GET /overview")
FORGOTTEN_SECONDS: Final = 5.2


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody in front of one of the two installations, with a browser and a client of the API."""

    size: str
    who: str
    context: BrowserContext
    client: httpx2.AsyncClient
    jobs: dict[str, str]

    async def open(self, page: str) -> float:
        path, row = PAGES[page]
        return await browser.visit(self.context, path.format(**self.jobs), row)

    async def ask(self, request: str) -> float:
        began = time.perf_counter()
        (await self.client.get(f"/api/v1{REQUESTS[request]}")).raise_for_status()
        return (time.perf_counter() - began) * 1000

    def name(self, work: str) -> str:
        return case(work, self.who, self.size)


def case(work: str, who: str, size: str) -> str:
    return f"{work}, {who}, {size}"


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    program = browser.find()
    if program is None:
        print("\npages: left out, there is no Chromium")
        return []
    many = plan.pick(1_000_000, 20_000)
    rows = _tables("pages", f"pages: to the first row; {MANY} is {many:,} jobs, the log has {history.LINES:,} lines")
    answers = _tables("requests", "the requests behind them, one at a time, nothing remembered")
    async with AsyncExitStack() as stack:
        chromium = await stack.enter_async_context(browser.launched(program))
        seats: list[Seat] = []
        for size, jobs in ((FEW, 10_000), (MANY, many)):
            database = stack.enter_context(history.lived_in(rig, jobs))
            url, _ = stack.enter_context(served.serving(database))
            seats += [await _seated(stack, chromium, database, url, size, who) for who in PEOPLE]
        for turn in range(plan.rounds):
            await _visit(seats, rows, plan.pick(15, 2), turn)
            await _ask(seats, answers, plan.pick(8, 2))
    for tables, works in ((rows, PAGES), (answers, REQUESTS)):
        _show(*tables, list(works))
    return [*rows, *answers]


def _tables(key: str, title: str) -> tuple[Table, Table]:
    return Table(f"{key} p50", title, "", "ms"), Table(f"{key} p95", title, "", "ms")


async def _seated(stack: AsyncExitStack, chromium: Browser, database: Database, url: str, size: str, who: str) -> Seat:
    key = served.key(database, *PEOPLE[who])
    headers = {"Authorization": f"Bearer {key}"}
    client = await stack.enter_async_context(httpx2.AsyncClient(base_url=url, headers=headers, timeout=30))
    await served.until_answered(lambda: client.get("/api/v1/me"))
    jobs = {"ended": history.ended(database), "logged": history.logged(database)}
    seat = Seat(size, who, await browser.signed_in(chromium, url, key), client, jobs)
    for page in PAGES:
        await seat.open(page)  # from now on the browser has the scripts
    return seat


async def _visit(seats: Sequence[Seat], tables: tuple[Table, Table], visits: int, turn: int) -> None:
    """Open every page so many times, in an order that changes."""
    cases = [(seat, page) for seat in seats for page in PAGES]
    took: dict[str, list[float]] = {seat.name(page): [] for seat, page in cases}
    for number in range(visits):
        random.Random(turn * visits + number).shuffle(cases)
        for seat, page in cases:
            took[seat.name(page)].append(await seat.open(page))
    _add(tables, took)


async def _ask(seats: Sequence[Seat], tables: tuple[Table, Table], times: int) -> None:
    took: dict[str, list[float]] = {seat.name(request): [] for seat in seats for request in REQUESTS}
    for _ in range(times):
        for request in REQUESTS:
            if request in REMEMBERED:
                await asyncio.sleep(FORGOTTEN_SECONDS)
            for seat in seats:
                took[seat.name(request)].append(await seat.ask(request))
    _add(tables, took)


def _add(tables: tuple[Table, Table], took: dict[str, list[float]]) -> None:
    for name, values in took.items():
        parts = statistics.quantiles(values, n=20, method="inclusive")
        tables[0].add(name, parts[9])
        tables[1].add(name, parts[18])


def _show(middle: Table, slow: Table, works: Sequence[str]) -> None:
    print(f"\n{middle.title}")
    heads = [f"{part} {size}" for part in ("p50", "p95") for size in (FEW, MANY, "ratio")]
    print(f"  {'ms':<32}" + "".join(f" {head:>10}" for head in heads))
    for who in PEOPLE:
        for work in works:
            few, many = case(work, who, FEW), case(work, who, MANY)
            cells = [
                cell
                for table in (middle, slow)
                for cell in (f"{table.median(few):.0f}", f"{table.median(many):.0f}", f"{table.ratio(many, few):.2f}")
            ]
            print(f"  {f'{work}, {who}':<32}" + "".join(f" {cell:>10}" for cell in cells))
    print(end="", flush=True)
