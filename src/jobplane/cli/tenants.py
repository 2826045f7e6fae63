"""`jobplane tenants`: the owners of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import TENANTS
from jobplane.cli.options import lists, mutates, shows, speaks
from jobplane.cli.output.printing import Printer

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.group("tenants", cls=Aliased)
def command() -> None:
    """List, create, pause and resume tenants."""


@command.command("ls")
@lists
@speaks
async def list_tenants(api: Api, printer: Printer, limit: int | None) -> None:
    """List tenants by their slugs."""
    await printer.many(lambda: api.list("/tenants", {}, limit), TENANTS)


@command.command("create")
@click.argument("slug", metavar="SLUG")
@click.option("--name", metavar="TEXT", help="A readable name.")
@click.option("--timezone", metavar="ZONE", help="The time zone of its schedules; default UTC.")
@click.option("--weight", type=click.IntRange(1, 1000), metavar="N", help="Its share of the workers; default 1.")
@click.option("--max-in-flight", type=click.IntRange(0), metavar="N", help="The most jobs that run at a time.")
@click.option("--max-pending", type=click.IntRange(0), metavar="N", help="The most jobs that wait and run.")
@mutates
@shows
@speaks
async def create(api: Api, printer: Printer, **fields: object) -> None:
    """Create a tenant."""
    body = {name: value for name, value in fields.items() if value is not None}
    if (made := await api.send("POST", "/tenants", body)) is not None:
        printer.one(made, TENANTS)


@command.command("pause")
@click.argument("name", metavar="SLUG|ID")
@click.option("--reason", metavar="TEXT", help="The reason.")
@mutates
@shows
@speaks
async def pause(api: Api, printer: Printer, name: str, reason: str | None) -> None:
    """Stop starting its jobs. Running jobs continue."""
    from jobplane.cli.remote.client import path_of

    body = {} if reason is None else {"reason": reason}
    if (changed := await api.send("POST", path_of("tenants", name, "pause"), body)) is not None:
        printer.one(changed, TENANTS)


@command.command("resume")
@click.argument("name", metavar="SLUG|ID")
@mutates
@shows
@speaks
async def resume(api: Api, printer: Printer, name: str) -> None:
    """Start its jobs again."""
    from jobplane.cli.remote.client import path_of

    if (changed := await api.send("POST", path_of("tenants", name, "resume"))) is not None:
        printer.one(changed, TENANTS)
