"""`jobplane queues`: what waits in each, pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import QUEUES
from jobplane.cli.options import lists, mutates, shows, speaks
from jobplane.cli.output.printing import Printer

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.group("queues", cls=Aliased)
def command() -> None:
    """List queues, pause and resume them."""


@command.command("ls")
@lists
@speaks
async def list_queues(api: Api, printer: Printer, limit: int | None) -> None:
    """List queues by name, with the jobs that wait and run in each."""
    await printer.many(lambda: api.list("/queues", {}, limit), QUEUES)


@command.command("pause")
@click.argument("name", metavar="NAME")
@click.option("--reason", metavar="TEXT", help="The reason.")
@mutates
@shows
@speaks
async def pause(api: Api, printer: Printer, name: str, reason: str | None) -> None:
    """Stop starting jobs of a queue. Running jobs continue."""
    from jobplane.cli.remote.client import path_of

    body = {} if reason is None else {"reason": reason}
    if (changed := await api.send("POST", path_of("queues", name, "pause"), body)) is not None:
        printer.one(changed, QUEUES)


@command.command("resume")
@click.argument("name", metavar="NAME")
@mutates
@shows
@speaks
async def resume(api: Api, printer: Printer, name: str) -> None:
    """Start jobs of a queue again."""
    from jobplane.cli.remote.client import path_of

    if (changed := await api.send("POST", path_of("queues", name, "resume"))) is not None:
        printer.one(changed, QUEUES)
