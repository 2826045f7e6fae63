"""`jobplane definitions ls`, `get`, `enable` and `disable`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from jobplane.cli.nouns import DEFINITIONS
from jobplane.cli.options import lists, mutates, shows, speaks
from jobplane.cli.output.printing import Printer

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.command("ls")
@lists
@speaks
async def list_definitions(api: Api, printer: Printer, limit: int | None) -> None:
    """List definitions by key."""
    await printer.many(lambda: api.list("/definitions", {}, limit), DEFINITIONS)


@click.command("get")
@click.argument("key", metavar="KEY")
@shows
@speaks
async def get(api: Api, printer: Printer, key: str) -> None:
    """Show one definition."""
    from jobplane.cli.remote.client import path_of

    printer.one(await api.get(path_of("definitions", key)), DEFINITIONS)


@click.command("enable")
@click.argument("key", metavar="KEY")
@mutates
@shows
@speaks
async def enable(api: Api, printer: Printer, key: str) -> None:
    """Allow jobs of a definition to be enqueued and started."""
    await _switch(api, printer, key, "enable")


@click.command("disable")
@click.argument("key", metavar="KEY")
@mutates
@shows
@speaks
async def disable(api: Api, printer: Printer, key: str) -> None:
    """Stop jobs of a definition from being enqueued or started."""
    await _switch(api, printer, key, "disable")


async def _switch(api: Api, printer: Printer, key: str, move: str) -> None:
    from jobplane.cli.remote.client import path_of

    if (changed := await api.send("POST", path_of("admin", "jobs", "definitions", key, move))) is not None:
        printer.one(changed, DEFINITIONS)


COMMANDS: Final = (list_definitions, get, enable, disable)
