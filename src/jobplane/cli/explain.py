"""`jobplane explain`: why a job is where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.jobs.description import gate_lines
from jobplane.cli.options import speaks
from jobplane.cli.output.printing import COLOURS
from jobplane.cli.output.text import as_json as json_text
from jobplane.cli.output.text import plain

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.command("explain")
@click.argument("job_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the response of the API.")
@speaks
async def command(api: Api, job_id: str, as_json: bool) -> None:
    """Show why a job waits, runs or has ended: each condition, and whether it is met."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.jobs import resolve_id

    found = await api.get(path_of("jobs", await resolve_id(api, job_id), "explain"))
    if as_json:
        click.echo(json_text(found))
        return
    click.echo(plain(str(found["summary"])))
    for line in gate_lines(found["gates"]):
        click.echo(line, color=COLOURS)
