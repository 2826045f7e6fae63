"""Command line: python -m bench [part …] [--quick] [--rounds N] [--before PATH [--pairs N]] [-o FILE]."""

from __future__ import annotations

import argparse
import json
import signal
from dataclasses import asdict
from pathlib import Path
from typing import Final

from bench import (
    api,
    commands,
    cost,
    enqueue,
    growth,
    latency,
    limits,
    memory,
    notify,
    pages,
    pinned,
    rest,
    retention,
    schedules,
    shares,
    skewed,
    sqlite,
    store,
    sustained,
    targets,
    worker,
)
from bench.loop import run
from bench.measure import Plan
from bench.pairs.compare import MEASURES, PAIRS, compare
from bench.pairs.ratios import Pairs
from bench.pairs.sides import NotACheckout
from bench.rig import running
from bench.table import Table

MODULES: Final = (
    store,
    enqueue,
    growth,
    skewed,
    shares,
    limits,
    pinned,
    sustained,
    cost,
    notify,
    sqlite,
    api,
    worker,
    latency,
    memory,
    commands,
    rest,
    schedules,
    retention,
    pages,
)
PARTS: Final = {module.__name__.removeprefix("bench."): module for module in MODULES}
ABOUT: Final = """
Print the performance tables of store and worker, measured on an embedded PostgreSQL of their own, or on that of PG_BIN.

All cases of a table take turns in one run. Only ratios mean anything: a machine's speed drifts, and below 1.2 is a
tie. "server µs/job" is CPU time of the server's processes, which other work on the machine disturbs least.

parts (all of them, unless some are named):
"""


async def _measure(parts: list[str], plan: Plan) -> list[Table]:
    tables: list[Table] = []
    with running() as rig:
        for part in parts:
            tables += await PARTS[part].measure(rig, plan)
    return tables


def _parser() -> argparse.ArgumentParser:
    lines = [f"  {name:<10} {(module.__doc__ or '').split(': ', 1)[1]}" for name, module in PARTS.items()]
    lines += ["", "parts with --before:", *(f"  {name:<14} {measure.title}" for name, measure in MEASURES.items())]
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=ABOUT + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="part", help="what to measure, in this order")
    parser.add_argument(
        "--quick", action="store_true", help="a look of two minutes: small sizes, one round, nothing to judge by"
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="readings of each case (3; with --quick 1)")
    parser.add_argument(
        "--before", type=Path, metavar="PATH", help="compare this checkout with another one, such as a git worktree"
    )
    parser.add_argument("--pairs", type=int, metavar="N", help=f"with --before: pairs of readings ({PAIRS})")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write every reading as JSON, too")
    return parser


def main() -> None:
    parser = _parser()
    options = parser.parse_args()
    known = MEASURES if options.before else PARTS
    unknown = [part for part in options.parts if part not in known]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; the parts are {', '.join(known)}")
    if options.pairs is not None and not options.before:
        parser.error("--pairs needs --before PATH")
    rounds = options.pairs if options.before else options.rounds
    if rounds is not None and rounds < 1:
        parser.error("--rounds and --pairs must be 1 or more")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: whoever is told to stop stops its server
    plan = Plan(rounds or (1 if options.quick else PAIRS if options.before else 3), options.quick)
    try:
        tables = run(_run(options.before, options.parts, plan))
    except NotACheckout as error:
        parser.error(str(error))
    if options.output:
        options.output.write_text(json.dumps([asdict(table) for table in tables], indent=1, ensure_ascii=False) + "\n")


async def _run(before: Path | None, parts: list[str], plan: Plan) -> list[Table] | list[Pairs]:
    if before:
        return await compare(before, parts, plan)
    tables = await _measure(parts or list(PARTS), plan)
    targets.show(tables, quick=plan.quick)
    return tables


if __name__ == "__main__":
    main()
