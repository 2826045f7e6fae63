"""`jobplane workers`: the processes that run jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import WORKERS
from jobplane.cli.options import lists, speaks
from jobplane.cli.output.printing import COLOURS, Printer
from jobplane.cli.worker_description import describe_worker
from jobplane.core.errors import WorkerNotFound

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


@command.command("describe")
@click.argument("worker_id", metavar="ID")
@speaks
async def describe(api: Api, worker_id: str) -> None:
    """Show everything about one worker: its facts, and the commands that its policy names."""
    page = await api.list("/workers", {}, None)
    for worker in page["items"]:
        if worker["worker_id"] == worker_id:
            click.echo("\n".join(describe_worker(worker)), color=COLOURS)
            return
    raise WorkerNotFound(f"There is no worker {worker_id:.200}. Try: jobplane workers ls")
