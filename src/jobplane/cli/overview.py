"""`jobplane overview`: what jobs do now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from jobplane.cli.nouns import JOBS, short
from jobplane.cli.options import shows, speaks
from jobplane.cli.output.printing import Printer
from jobplane.cli.output.text import plain
from jobplane.cli.output.times import format_duration

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api, Fields


@click.command("overview")
@shows
@speaks
async def command(api: Api, printer: Printer) -> None:
    """Show how many jobs wait, run and have failed, which ended last, and which run the longest."""
    found = await api.get("/overview")
    if not printer.is_table:
        printer.some([*found["ended_last"], *found["running_longest"]], found, JOBS)
        return
    for line in _lines(found):
        click.echo(plain(line))
    for title, jobs in (("Ended last", found["ended_last"]), ("Running longest", found["running_longest"])):
        if jobs:
            click.echo(f"\n{title}")
            printer.some(jobs, found, JOBS)


def _lines(found: Fields) -> Iterator[str]:
    counts, more = found["summary"], "+" if found["failed_is_capped"] else ""
    waiting = f"{counts['ready']} ready, {counts['held']} held, {counts['upcoming']} upcoming"
    yield f"{counts['queued']} queued ({waiting}), {counts['running']} running"
    ends = ("succeeded", "failed", "dead_letter", "canceled")
    yield ", ".join(f"{counts[name]} {name}" for name in ends) + (
        ", counted up to 10,000" if counts["is_capped"] else ""
    )
    yield f"{found['failed_last_hour']}{more} failed in the last hour"
    if (oldest := found["oldest"]) is not None and (seconds := counts["oldest_due_seconds"]) is not None:
        waits = f"The oldest job waits for {format_duration(seconds)}"
        yield f"{waits}: {short(oldest['id'])} of {oldest['definition_key']}"
    if (workers := found["workers"]) is not None:
        yield f"{workers['live']} workers, {workers['busy']} of {workers['slots']} slots busy, {workers['stale']} gone"
