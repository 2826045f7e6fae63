"""`jobplane schedules create`, `update`, `enable`, `disable`, `delete`, `trigger` and `backfill`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from jobplane.cli.nouns import BACKFILLED, SCHEDULES
from jobplane.cli.options import mutates, shows, speaks
from jobplane.cli.output.printing import Printer, say
from jobplane.cli.output.text import plain
from jobplane.cli.output.times import Moment
from jobplane.cli.schedule_flags import describes

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]


@click.command("create")
@describes(is_new=True)
@mutates
@shows
@speaks
async def create(api: Api, printer: Printer, body: Fields) -> None:
    """Create a schedule, with one of --cron, --interval and --once."""
    _print(printer, await api.send("POST", "/schedules", body, tenant=api.written_tenant))


@click.command("update")
@click.argument("schedule", metavar="ID|KEY")
@describes(is_new=False)
@mutates
@shows
@speaks
async def update(api: Api, printer: Printer, schedule: str, body: Fields) -> None:
    """Change a schedule. Values without a flag stay, and a payload is merged into the stored one."""
    _print(printer, await _send(api, "PATCH", schedule, "", body))


@click.command("enable")
@click.argument("schedule", metavar="ID|KEY")
@mutates
@shows
@speaks
async def enable(api: Api, printer: Printer, schedule: str) -> None:
    """Enable a schedule. It fires again from now on."""
    _print(printer, await _send(api, "POST", schedule, "enable"))


@click.command("disable")
@click.argument("schedule", metavar="ID|KEY")
@click.option("--reason", metavar="TEXT", help="The reason.")
@mutates
@shows
@speaks
async def disable(api: Api, printer: Printer, schedule: str, reason: str | None) -> None:
    """Disable a schedule. It stops firing, and its history stays."""
    _print(printer, await _send(api, "POST", schedule, "disable", {} if reason is None else {"reason": reason}))


@click.command("delete")
@click.argument("schedule", metavar="ID|KEY")
@mutates
@speaks
async def delete(api: Api, schedule: str) -> None:
    """Delete a schedule with the record of its fires. Its jobs stay."""
    if await _send(api, "DELETE", schedule) is not None:
        click.echo(f"{plain(schedule)} deleted")


@click.command("trigger")
@click.argument("schedule", metavar="ID|KEY")
@mutates
@shows
@speaks
async def trigger(api: Api, printer: Printer, schedule: str) -> None:
    """Create a job of a schedule now, and print its id."""
    if (fired := await _send(api, "POST", schedule, "fire")) is not None:
        if printer.format == "table":
            click.echo(fired["job_id"])
        else:
            printer.one(fired, BACKFILLED)


@click.command("backfill")
@click.argument("schedule", metavar="ID|KEY")
@click.option("--start", type=Moment(is_past=True), metavar="7d|TIME", required=True, help="From this time on.")
@click.option("--until", type=Moment(is_past=True), metavar="2h|TIME", help="Up to this time; default now.")
@click.option("--dry-run", "is_trial", is_flag=True, help="Show the result without creating jobs.")
@shows
@speaks
async def backfill(api: Api, printer: Printer, schedule: str, start: str, until: str | None, is_trial: bool) -> None:
    """Create the jobs of planned times that have none, each at most once."""
    from datetime import UTC, datetime

    body = {"start": start, "until": until or datetime.now(UTC).isoformat(), "dry_run": is_trial}
    if (done := await _send(api, "POST", schedule, "backfill", body)) is None:
        return
    printer.some(done["items"], done, BACKFILLED)
    if printer.is_table:
        count = done["fired"]
        would = "would be" if is_trial else "was" if count == 1 else "were"
        say(f"{count:,} {'job' if count == 1 else 'jobs'} {would} made, for {len(done['items']):,} planned times.")


COMMANDS: Final = (create, update, enable, disable, delete, trigger, backfill)


async def _send(api: Api, method: str, schedule: str, action: str = "", body: object = None) -> Fields | None:
    """To the tenant that the schedule belongs to."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.schedules import find

    found = await find(api, schedule)
    path = path_of("schedules", found["id"], *([action] if action else []))
    return await api.send(method, path, body, tenant=found["tenant_id"])


def _print(printer: Printer, saved: Fields | None) -> None:
    if saved is None:
        return
    printer.one(saved, SCHEDULES)
    for warning in saved["warnings"]:
        say(f"Warning: {warning}")
