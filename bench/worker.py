"""worker: how fast workers go through jobs that do nothing, beside other queues (W3); by jobs in flight; with logs."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bench.contenders import Contender, ours, peers
from bench.measure import Plan
from bench.rig import Rig
from bench.staff import staffed
from bench.table import Table
from bench.window import Pace, pace

BACKLOG: Final = (150_000, 60_000)
SECONDS: Final = (1.5, 0.5)
OURS: Final = "jobplane"
FULL: Final = "full prefetch"
# Executors, slots of each, and what is fetched ahead: so many in flight.
FLIGHTS: Final = {FULL: (2, 16, 1000), "100": (2, 16, 68), "4": (2, 2, 0), "1": (1, 1, 0)}


@dataclass(frozen=True, slots=True)
class Team:
    """So many workers of one contender."""

    contender: Contender
    workers: int = 1


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    others = peers()
    tables = [await _beside_peers(rig, plan, others, 1)]
    if not plan.quick:
        tables.append(await _beside_peers(rig, plan, others, 2))
    return [*tables, await _in_flight(rig, plan), await _with_logs(rig, plan)]


async def _beside_peers(rig: Rig, plan: Plan, others: tuple[Contender, ...], workers: int) -> Table:
    teams = {peer.name: Team(peer, workers) for peer in others}
    for kind in ("async", "def"):
        teams[_named(kind)] = Team(ours(handler=kind, processes=2 // workers), workers)
    title = f"W3: jobs that do nothing, {'one worker' if workers == 1 else 'two workers'}"
    few = plan.few(teams, "pg-boss", "graphile-worker", "pgqueuer", OURS)
    return await _take_turns(rig, plan, Table(f"W3-{workers}", title, others[0].name), few)


async def _in_flight(rig: Rig, plan: Plan) -> Table:
    teams = {
        flight if kind == "async" else f"{flight}, def handlers": Team(
            ours(handler=kind, processes=processes, slots=slots, prefetch=prefetch)
        )
        for kind in ("async", "def")
        for flight, (processes, slots, prefetch) in FLIGHTS.items()
    }
    return await _take_turns(
        rig, plan, Table("flight", "jobplane, one worker, by jobs in flight", FULL), plan.few(teams, FULL, "4")
    )


async def _with_logs(rig: Rig, plan: Plan) -> Table:
    teams = {"nothing logged": Team(ours()), "one stored line for each job": Team(ours(handler="log"))}
    return await _take_turns(rig, plan, Table("worker-logs", "jobplane, one worker, logs", "nothing logged"), teams)


def _named(kind: str) -> str:
    return OURS if kind == "async" else f"{OURS}, {kind} handlers"


async def _take_turns(rig: Rig, plan: Plan, table: Table, teams: Mapping[str, Team]) -> Table:
    """One reading of every team for each round, in an order that changes, with the machine to itself."""
    for turn in range(plan.rounds):
        order = random.Random(turn).sample(list(teams), len(teams))
        found = {name: await _read(rig, plan, teams[name]) for name in order}
        for name in teams:
            table.add(name, found[name].rate, found[name].cpu_us["server"])
            table.add_spent(name, found[name].cpu_us)
    table.show()
    return table


async def _read(rig: Rig, plan: Plan, team: Team) -> Pace:
    with rig.fresh(team.contender.filled(rig, plan.pick(*BACKLOG))) as database:
        async with staffed(team.contender, database, team.workers) as staff:
            return await pace(staff, plan.pick(*SECONDS))
