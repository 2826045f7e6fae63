"""`jobplane jobs`: list jobs, look at one, move it."""

from __future__ import annotations

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.jobs import listing, logs, moving, output, reading


@click.group("jobs", cls=Aliased)
def command() -> None:
    """List jobs, look at them, retry, cancel and edit them."""


for each in (
    listing.list_jobs,
    reading.get,
    reading.describe,
    logs.logs,
    output.output,
    moving.retry,
    moving.cancel,
    moving.edit,
):
    command.add_command(each)
