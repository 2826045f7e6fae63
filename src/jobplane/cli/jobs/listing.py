"""`jobplane jobs ls`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from jobplane.cli.nouns import JOBS
from jobplane.cli.options import assignments, lists, speaks
from jobplane.cli.output.printing import Printer
from jobplane.cli.output.times import Moment

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

STATUSES: Final = ("queued", "running", "succeeded", "failed", "dead_letter", "canceled")
ACTORS: Final = ("key", "login", "session", "job", "scheduler", "hook", "event")


@click.command("ls")
@click.option("-q", "--query", "q", metavar="TEXT", help="Jobs with this text in payload, error, result, tags or ids.")
@click.option(
    "--status", "--state", multiple=True, type=click.Choice(STATUSES), help="Jobs with this status; repeatable."
)
@click.option(
    "--definition",
    "--type",
    "definition_key",
    metavar="KEY",
    multiple=True,
    help="Jobs of this definition; repeatable.",
)
@click.option("--queue", metavar="NAME", multiple=True, help="Jobs of this queue; repeatable.")
@click.option("--source", metavar="NAME", help="Jobs from this source: api, schedule, …")
@click.option("--tag", metavar="TAG", multiple=True, help="Jobs with all of these tags; repeatable.")
@click.option("--metadata", metavar="NAME=VALUE", multiple=True, help="Jobs with this metadata; repeatable.")
@click.option("--correlation-id", metavar="ID", help="Jobs with this correlation id.")
@click.option("--worker", "worker_id", metavar="ID", help="Jobs that run on this worker now.")
@click.option("--triggered-by", type=click.Choice(ACTORS), help="Jobs that this kind of caller enqueued.")
@click.option("--trigger", "trigger_id", type=click.UUID, metavar="ID", help="Jobs of this trigger.")
@click.option("--since", type=Moment(is_past=True), metavar="2h|TIME", help="Created after this time.")
@click.option("--until", type=Moment(is_past=True), metavar="2h|TIME", help="Created before this time.")
@click.option("--total", "has_total", is_flag=True, help="Print the total too, counted up to 10,000.")
@lists
@speaks
async def list_jobs(
    api: Api,
    printer: Printer,
    limit: int | None,
    metadata: tuple[str, ...],
    since: str | None,
    until: str | None,
    has_total: bool,
    **filters: object,
) -> None:
    """List jobs, the newest first."""
    from jobplane.cli.remote.tenants import with_slugs

    params = {
        **filters,
        **{f"metadata[{name}]": _text(value) for name, value in assignments(metadata).items()},
        "created_after": since,
        "created_before": until,
        "include": "total" if has_total else None,
    }
    await printer.many(with_slugs(api, printer, lambda: api.list("/jobs", params, limit)), JOBS)


def _text(value: object) -> str:
    """As the filter of the API has it: text is compared as it is, true and 1 by their JSON."""
    import json

    return value if isinstance(value, str) else json.dumps(value)
