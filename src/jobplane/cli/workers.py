"""`jobplane workers`: the processes that run jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import WORKERS
from jobplane.cli.options import lists, speaks
from jobplane.cli.output.printing import Printer

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.group("workers", cls=Aliased)
def command() -> None:
    """List workers."""


@command.command("ls")
@lists
@speaks
async def list_workers(api: Api, printer: Printer, limit: int | None) -> None:
    """List workers, the latest seen first."""
    await printer.many(lambda: api.list("/workers", {}, limit), WORKERS)
