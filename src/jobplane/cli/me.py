"""`jobplane me`: who the caller is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.nouns import CALLER
from jobplane.cli.options import shows, speaks
from jobplane.cli.output.printing import Printer

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.command("me")
@shows
@speaks
async def command(api: Api, printer: Printer) -> None:
    """Show who you are to the server: your key, its role and its tenant."""
    printer.one(await api.get("/me"), CALLER)
