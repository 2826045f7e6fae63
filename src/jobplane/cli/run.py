"""`jobplane run`: enqueue a job, and wait for it where the user wants to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jobplane.cli.jobs.logs import print_line
from jobplane.cli.jobs.sentences import describe_state
from jobplane.cli.nouns import JOBS
from jobplane.cli.options import assignments, payload, shows, speaks
from jobplane.cli.output.printing import COLOURS, Printer, say
from jobplane.cli.output.text import as_json
from jobplane.cli.output.times import Duration, Moment

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]


@click.command("run")
@click.argument("key", metavar="KEY")
@click.option("--set", "sets", metavar="NAME=VALUE", multiple=True, help="One field of the payload; repeatable.")
@click.option("--payload", "text", metavar="JSON|@FILE|-", help="The payload: JSON, a file, or - for stdin.")
@click.option("--at", "scheduled_for", type=Moment(is_past=False), metavar="TIME", help="The earliest start.")
@click.option(
    "--delay", "delay_seconds", type=Duration(), metavar="10m", help="The earliest start, as a delay from now."
)
@click.option("--priority", type=click.IntRange(0, 1000), metavar="N", help="0 comes first.")
@click.option("--queue", metavar="NAME", help="Default: that of the definition.")
@click.option("--dedupe-key", metavar="TEXT", help="At most one waiting or running job has this key.")
@click.option("--idempotency-key", metavar="TEXT", help="A second request with this key returns the first job.")
@click.option("--correlation-id", metavar="ID", help="The correlation id of the job.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag of the job; repeatable.")
@click.option("--metadata", metavar="NAME=VALUE", multiple=True, help="One field of its metadata; repeatable.")
@click.option("--max-attempts", type=click.IntRange(1, 1000), metavar="N", help="Default: that of the definition.")
@click.option("--wait", "waits", is_flag=True, help="Wait until it has ended. The exit code is its outcome.")
@click.option("--timeout", "timeout_seconds", type=Duration(), metavar="10m", help="Wait no longer than this.")
@click.option("--follow", "follows", is_flag=True, help="Print its log while waiting.")
@click.option("--dry-run", "is_trial", is_flag=True, help="Let the server check the job, and enqueue nothing.")
@shows
@speaks
async def command(
    api: Api,
    printer: Printer,
    key: str,
    sets: tuple[str, ...],
    text: str | None,
    tags: tuple[str, ...],
    metadata: tuple[str, ...],
    waits: bool,
    timeout_seconds: float | None,
    follows: bool,
    is_trial: bool,
    **options: object,
) -> int:
    """Enqueue a job of the definition KEY.

    The exit code with --wait: 0 succeeded, 1 failed, dead or canceled, 6 timed out.
    """
    body: Fields = {"definition_key": key, "payload": payload(text, sets) or {}}
    body |= {name: value for name, value in options.items() if value is not None}
    body |= {"tags": list(tags)} if tags else {}
    body |= {"metadata": assignments(metadata)} if metadata else {}
    if is_trial:
        judged = await api.judge("/jobs", body)
        click.echo(as_json(judged))
        if line := judged.get("command_line"):
            say(f"Would run: {line}")
        return 0
    job = await api.send("POST", "/jobs", body, tenant=api.written_tenant)
    assert job is not None  # noqa: S101 this is no dry run
    if not job["created"]:
        say(f"Job {job['id']} has this key already. Nothing was enqueued.")
    if not (waits or follows or timeout_seconds is not None):
        _print(printer, job)
        return 0
    return await _wait(api, printer, job, timeout_seconds, follows=follows)


def _print(printer: Printer, job: Fields) -> None:
    """A table would say little of a new job: its id alone can be used by the next command."""
    if printer.format == "table":
        click.echo(job["id"])
    else:
        printer.one(job, JOBS)


async def _wait(api: Api, printer: Printer, job: Fields, timeout_seconds: float | None, *, follows: bool) -> int:
    import asyncio

    from jobplane.cli.remote.jobs import wait_for_end

    if printer.format == "table" and not follows:
        click.echo(job["id"])
    reader = asyncio.create_task(_read(api, job["id"])) if follows else None
    try:
        done = await wait_for_end(api, job["id"], timeout_seconds)
        if reader is not None:
            await reader
    finally:
        if reader is not None:
            reader.cancel()
    if printer.format != "table":
        printer.one(done, JOBS)
    click.echo(describe_state(done), err=True, color=COLOURS)
    return 0 if done["status"] == "succeeded" else 1


async def _read(api: Api, job_id: str) -> None:
    from jobplane.cli.remote.jobs import follow_log

    async for line in follow_log(api, job_id, None):
        print_line(line)
