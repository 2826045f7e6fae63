"""`jobplane schedules`: when jobs start by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import FIRES, PLANNED, SCHEDULES
from jobplane.cli.options import lists, shows, speaks
from jobplane.cli.output.printing import Printer, say
from jobplane.cli.output.times import Moment
from jobplane.cli.schedule_changes import COMMANDS
from jobplane.cli.schedule_flags import times

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]
OUTCOMES = ("fired", "skipped", "missed", "refused", "waiting")


@click.group("schedules", cls=Aliased)
def command() -> None:
    """List schedules, create and change them, and see when they fire."""


for each in COMMANDS:
    command.add_command(each)


@command.command("ls")
@click.option("--definition", "definition_key", metavar="KEY", help="Schedules of this definition.")
@click.option(
    "--enabled",
    "is_enabled",
    type=click.Choice(["true", "false"]),
    help="Enabled (true) or disabled (false) schedules.",
)
@click.option("--late", is_flag=True, help="Schedules due for more than a minute.")
@lists
@speaks
async def list_schedules(api: Api, printer: Printer, limit: int | None, late: bool, **filters: object) -> None:
    """List schedules, the newest first."""
    from jobplane.cli.remote.tenants import with_slugs

    params = {**filters, "late": "true" if late else None}
    await printer.many(with_slugs(api, printer, lambda: api.list("/schedules", params, limit)), SCHEDULES)


@command.command("get")
@click.argument("schedule", metavar="ID|KEY")
@shows
@speaks
async def get(api: Api, printer: Printer, schedule: str) -> None:
    """Show one schedule."""
    from jobplane.cli.remote.schedules import find
    from jobplane.cli.remote.tenants import with_slug

    printer.one(await with_slug(api, printer, await find(api, schedule)), SCHEDULES)


@command.command("fires")
@click.argument("schedule", metavar="ID|KEY")
@click.option(
    "--outcome", type=click.Choice(OUTCOMES), multiple=True, help="Planned times with this outcome; repeatable."
)
@lists
@speaks
async def fires(api: Api, printer: Printer, schedule: str, limit: int | None, outcome: tuple[str, ...]) -> None:
    """List the outcomes of the planned times of a schedule, the newest first."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.schedules import find

    path = path_of("schedules", (await find(api, schedule))["id"], "fires")
    await printer.many(lambda: api.list(path, {"outcome": outcome}, limit), FIRES)


@command.command("next")
@click.argument("schedule", metavar="ID|KEY")
@click.option("-n", "--count", type=click.IntRange(1, 100), default=5, show_default=True, help="How many times.")
@shows
@speaks
async def next_times(api: Api, printer: Printer, schedule: str, count: int) -> None:
    """Show the next planned times of a schedule."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.schedules import find

    path = path_of("schedules", (await find(api, schedule))["id"], "preview")
    _print(printer, await api.get(path, {"count": count}))


@command.command("preview")
@click.argument("expression", metavar="[CRON]", required=False)
@click.option("-n", "--count", type=click.IntRange(1, 100), default=5, show_default=True, help="How many times.")
@times
@shows
@speaks
async def preview(api: Api, printer: Printer, timetable: Fields, count: int) -> None:
    """Show the next times of a timetable that is not stored, like '0 2 * * *'."""
    shown = await api.get("/schedules/preview", {**timetable, "count": count}, tenant=api.written_tenant)
    _print(printer, shown)


@command.command("simulate")
@click.argument("schedule", metavar="[ID|KEY]", required=False)
@click.option("--start", type=Moment(is_past=True), metavar="30d|TIME", help="From this time on; default a year.")
@click.option("--until", type=Moment(is_past=True), metavar="2h|TIME", help="Up to this time; default now.")
@times
@shows
@speaks
async def simulate(api: Api, printer: Printer, schedule: str | None, timetable: Fields, **window: object) -> None:
    """Show when a schedule, or a timetable that is not stored, would have fired."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.schedules import find

    if schedule is None:
        told = await api.get("/schedules/simulate", {**timetable, **window}, tenant=api.written_tenant)
    else:
        told = await api.get(path_of("schedules", (await find(api, schedule))["id"], "simulate"), window)
    if printer.is_table:
        say(f"{told['words']}. {told['detail']}")
    printer.some(told["odd"], told, PLANNED)


def _print(printer: Printer, shown: Fields) -> None:
    if printer.is_table:
        say(f"{shown['words']}.")
    printer.some(shown["times"], shown, PLANNED)
