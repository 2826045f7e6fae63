"""`jobplane jobs retry`, `cancel` and `edit`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from jobplane.cli.nouns import JOBS
from jobplane.cli.options import mutates, payload, shows, speaks
from jobplane.cli.output.printing import Printer
from jobplane.core.errors import JobplaneError

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]


@click.command("retry")
@click.argument("job_ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--max-attempts", type=click.IntRange(1, 1000), metavar="N", help="The new number of attempts; default: as before."
)
@mutates
@speaks
async def retry(api: Api, job_ids: tuple[str, ...], max_attempts: int | None) -> int:
    """Give jobs that have failed, died or been canceled a fresh budget of attempts."""
    body = {} if max_attempts is None else {"max_attempts": max_attempts}
    return await _each(api, job_ids, lambda job: _move(api, job, "retry", body))


@click.command("cancel")
@click.argument("job_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", metavar="TEXT", help="The reason; it is shown with the job.")
@mutates
@speaks
async def cancel(api: Api, job_ids: tuple[str, ...], reason: str | None) -> int:
    """End waiting jobs, and ask the workers of running ones to stop them."""
    body = {} if reason is None else {"reason": reason}
    return await _each(api, job_ids, lambda job: _move(api, job, "cancel", body))


@click.command("edit")
@click.argument("job_id", metavar="ID")
@click.option("--set", "sets", metavar="NAME=VALUE", multiple=True, help="Change one field of the payload; repeatable.")
@click.option("--payload", "text", metavar="JSON|@FILE|-", help="The whole new payload.")
@click.option("--priority", type=click.IntRange(0, 1000), metavar="N", help="0 comes first.")
@click.option("--queue", metavar="NAME", help="Another queue.")
@click.option("--max-attempts", type=click.IntRange(1, 1000), metavar="N", help="Another number of attempts.")
@click.option("--timeout-seconds", type=click.IntRange(1), metavar="N", help="Another timeout of an attempt.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="The new tags; repeatable.")
@mutates
@shows
@speaks
async def edit(
    api: Api, printer: Printer, job_id: str, sets: tuple[str, ...], text: str | None, tags: tuple[str, ...],
    **changes: object,
) -> None:  # fmt: skip
    """Change a job that waits."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.jobs import find

    given = payload(text, sets)
    body = {name: value for name, value in changes.items() if value is not None} | (
        {"tags": list(tags)} if tags else {}
    )
    if given is None and not body:
        raise click.UsageError("There is nothing to change.")
    job = await find(api, job_id)
    if given is not None:
        body["payload"] = given if text is not None else {**job["payload"], **given}
    changed = await api.send("PATCH", path_of("jobs", job["id"]), body, tenant=job["tenant_id"])
    if changed is not None:
        printer.one(changed, JOBS)


async def _move(api: Api, job: Fields, move: str, body: Fields) -> Fields | None:
    from jobplane.cli.remote.client import path_of

    return await api.send("POST", path_of("jobs", job["id"], move), body, tenant=job["tenant_id"])


async def _each(api: Api, job_ids: Sequence[str], act: Callable[[Fields], Awaitable[Fields | None]]) -> int:
    """Do it to each job and say what became of it. One that is refused keeps no other back; the worst code counts."""
    from jobplane.cli.main import exit_code, format_error
    from jobplane.cli.remote.jobs import find

    worst = 0
    for job_id in job_ids:
        try:
            job = await act(await find(api, job_id))
        except JobplaneError as error:
            click.echo(format_error(error), err=True)
            worst = max(worst, exit_code(error))
        else:
            if job is not None:
                click.echo(f"{job['id']} {_state(job)}")
    return worst


def _state(job: Fields) -> str:
    return "cancel_requested" if job["status"] == "running" and job["cancel_requested_at"] else job["status"]
