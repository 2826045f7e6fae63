"""`jobplane database`: its size, connections and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.nouns import TABLES
from jobplane.cli.options import shows, speaks
from jobplane.cli.output.printing import Printer
from jobplane.cli.output.text import format_bytes, plain
from jobplane.cli.output.times import format_duration

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api, Fields


@click.command("database")
@shows
@speaks
async def command(api: Api, printer: Printer) -> None:
    """Show the size of the database, its connections and its tables."""
    found = await api.get("/database")
    if printer.is_table:
        click.echo(plain(_sentence(found)) + "\n")
    printer.some(found["tables"], found, TABLES)


def _sentence(found: Fields) -> str:
    """The facts that are not about one table."""
    schema = found["schema"]
    name = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}[found["store"]]
    parts = [f"{name} {found['version']}", f"schema {schema['found']} of {schema['wanted']}"]
    parts.append(format_bytes(found["size_bytes"]))
    if (connections := found["connections"]) is not None:
        parts.append(f"{connections['used']} of {connections['most']} connections")
    if (seconds := found["oldest_transaction_seconds"]) is not None:
        parts.append(f"oldest transaction {format_duration(seconds)}")
    if (journal := found["journal"]) is not None:
        parts.append(f"journal {journal['mode']} with {format_bytes(journal['size_bytes'])}")
    return ", ".join(parts)
