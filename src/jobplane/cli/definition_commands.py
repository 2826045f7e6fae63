"""`jobplane definitions ls`, `get`, `describe`, `create`, `edit`, `enable` and `disable`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from jobplane.cli.definition_description import describe_definition
from jobplane.cli.definition_flags import describes
from jobplane.cli.nouns import DEFINITIONS
from jobplane.cli.options import Fields, lists, mutates, shows, speaks
from jobplane.cli.output.printing import COLOURS, Printer
from jobplane.cli.worker_description import describe_allowing
from jobplane.core.errors import Forbidden

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

_tries = click.option("--dry-run", is_flag=True, help="Let the server check it, print the request, and change nothing.")


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


@click.command("describe")
@click.argument("key", metavar="KEY")
@speaks
async def describe(api: Api, key: str) -> None:
    """Show everything about one definition: its settings, its command and its schema.

    For operators also which live workers may run the command, and why the others may not.
    """
    from jobplane.cli.remote.client import path_of

    found = await api.get(path_of("definitions", key))
    workers = None if found["command"] is None else await _list_workers(api)
    click.echo("\n".join([*describe_definition(found), *describe_allowing(found, workers)]), color=COLOURS)


@click.command("create")
@click.argument("key", metavar="KEY")
@describes
@_tries
@shows
@speaks
async def create(api: Api, printer: Printer, key: str, body: Fields) -> None:
    """Create a definition. Without a command its jobs wait until a worker registers the key."""
    if api.dry_run:
        await api.judge("/admin/jobs/definitions", {"key": key, **body}, is_platform=True)
    made = await api.send("POST", "/admin/jobs/definitions", {"key": key, **body}, is_platform=True)
    if made is not None:
        printer.one(made, DEFINITIONS)


@click.command("edit")
@click.argument("key", metavar="KEY")
@describes
@_tries
@shows
@speaks
async def edit(api: Api, printer: Printer, key: str, body: Fields) -> None:
    """Change a definition. Values without a flag stay; a command is replaced whole, a schema is merged."""
    from jobplane.cli.remote.client import path_of

    if not body:
        raise click.UsageError("There is nothing to change.")
    path = path_of("admin", "jobs", "definitions", key)
    if api.dry_run:
        await api.judge(path, body, method="PATCH", is_platform=True)
    changed = await api.send("PATCH", path, body, is_platform=True)
    if changed is not None:
        printer.one(changed, DEFINITIONS)


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


async def _list_workers(api: Api) -> list[Fields] | None:
    """The workers; None where the caller may not see them."""
    try:
        return (await api.list("/workers", {}, None))["items"]
    except Forbidden:
        return None


async def _switch(api: Api, printer: Printer, key: str, move: str) -> None:
    from jobplane.cli.remote.client import path_of

    if (changed := await api.send("POST", path_of("admin", "jobs", "definitions", key, move))) is not None:
        printer.one(changed, DEFINITIONS)


COMMANDS: Final = (list_definitions, get, describe, create, edit, enable, disable)
