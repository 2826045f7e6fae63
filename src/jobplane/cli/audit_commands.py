"""`jobplane audit ls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.nouns import AUDIT
from jobplane.cli.options import lists, speaks
from jobplane.cli.output.printing import Printer
from jobplane.cli.output.times import Moment

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.command("ls")
@click.option("--action", metavar="NAME", help="The operation: cancelJob, for example.")
@click.option("--actor", metavar="ID", help="The id of a key or a login.")
@click.option("--target", metavar="ID", help="The id of the changed object.")
@click.option("--since", type=Moment(is_past=True), metavar="2h|TIME", help="After this time.")
@click.option("--until", type=Moment(is_past=True), metavar="2h|TIME", help="Before this time.")
@lists
@speaks
async def list_audit(api: Api, printer: Printer, limit: int | None, **filters: object) -> None:
    """List the actions of people and keys, the newest first."""
    from jobplane.cli.remote.tenants import with_slugs

    await printer.many(with_slugs(api, printer, lambda: api.list("/audit", filters, limit)), AUDIT)
