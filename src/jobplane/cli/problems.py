"""`jobplane problems`: what is failing, stuck or late right now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.nouns import PROBLEMS
from jobplane.cli.options import shows, speaks
from jobplane.cli.output.printing import Printer, say

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api, Fields


@click.command("problems")
@click.option("--watch", is_flag=True, help="Show it again every 2 s, until Ctrl-C.")
@shows
@speaks
async def command(api: Api, printer: Printer) -> int:
    """List everything that is failing, stuck or late right now. The exit code is 1 if the list is not empty."""
    found: Fields = {"items": []}

    async def fetch() -> Fields:
        nonlocal found
        found = await api.get("/problems")
        return found

    await printer.many(fetch, PROBLEMS)
    if found["items"]:
        return 1
    say("All is well.")
    return 0
