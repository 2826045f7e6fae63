"""`jobplane jobs get` and `describe`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.jobs.description import describe_job
from jobplane.cli.nouns import JOBS
from jobplane.cli.options import shows, speaks
from jobplane.cli.output.printing import COLOURS, Printer

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api, Fields


@click.command("get")
@click.argument("job_id", metavar="ID")
@shows
@speaks
async def get(api: Api, printer: Printer, job_id: str) -> None:
    """Show one job."""
    from jobplane.cli.remote.jobs import find
    from jobplane.cli.remote.tenants import with_slug

    printer.one(await with_slug(api, printer, await find(api, job_id)), JOBS)


@click.command("describe")
@click.argument("job_id", metavar="ID")
@speaks
async def describe(api: Api, job_id: str) -> None:
    """Show everything about one job: its state, its attempts, its payload, its error, and why it waits."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.jobs import find
    from jobplane.cli.remote.tenants import add_slugs

    [job] = await add_slugs(api, [await find(api, job_id)])
    attempts = await api.list(path_of("jobs", job["id"], "attempts"), {}, 200)
    reasons = await _explain(api, job) if job["status"] == "queued" else None
    click.echo("\n".join(describe_job(job, attempts["items"][::-1], reasons)), color=COLOURS)


async def _explain(api: Api, job: Fields) -> Fields | None:
    """Why a job waits; None where the server is too old to say it."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.faults import ServerRefused

    try:
        return await api.get(path_of("jobs", job["id"], "explain"))
    except ServerRefused:
        return None
