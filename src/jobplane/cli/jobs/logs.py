"""`jobplane jobs logs`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC
from typing import TYPE_CHECKING, Any

import click

from jobplane.cli.jobs.silence import report_silence
from jobplane.cli.options import speaks
from jobplane.cli.output.printing import COLOURS
from jobplane.cli.output.text import as_json as json_text
from jobplane.cli.output.text import harmless
from jobplane.cli.output.times import parse_time

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]


@click.command("logs")
@click.argument("job_id", metavar="ID")
@click.option("-f", "--follow", is_flag=True, help="Follow the log until the job has ended.")
@click.option("--attempt", type=click.IntRange(1), metavar="N", help="One attempt only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each line.")
@speaks
async def logs(api: Api, job_id: str, follow: bool, attempt: int | None, as_json: bool) -> None:
    """Print the log of a job, of all its attempts: time, attempt, level, message and fields.

    With -f it goes on until the job has ended, also over a restart of the server. The exit code is 0 however the job
    ended. A line with fields that cannot be decoded ends with the names of those fields. If there are no lines, the
    status of the job or attempt and its error are printed instead; with --json as an object whose "line" is 0.
    """
    from jobplane.cli.remote.jobs import follow_log, resolve_id

    found = await resolve_id(api, job_id)
    lines = follow_log(api, found, attempt) if follow else _read(api, found, attempt)
    is_silent = True
    async for line in lines:
        print_line(line, as_json=as_json)
        is_silent = False
    if is_silent:
        await report_silence(api, found, attempt, as_json=as_json)


async def _read(api: Api, job_id: str, attempt: int | None) -> AsyncIterator[Fields]:
    from jobplane.cli.remote.client import path_of

    async for page in api.pages(path_of("jobs", job_id, "logs"), {"attempt": attempt}, None):
        for line in page["items"]:
            yield line


def print_line(line: Fields, *, as_json: bool = False) -> None:
    """One line of a log: time, attempt, level, message and fields."""
    click.echo(json_text(line, indent=None) if as_json else _text(line), color=COLOURS)


def _text(line: Fields) -> str:
    given: Fields = line["fields"] or {}
    fields = "".join(f" {name}={json_text(value, indent=None)}" for name, value in given.items())
    mark = f" [cannot be decoded: {', '.join(line['undecodable'])}]" if line["undecodable"] else ""
    head = f"{_time(line)} {line['attempt_no']} {line['level'] or '-':<7}"
    return harmless(f"{head} {line['message'] or ''}{fields}{mark}")


def _time(line: Fields) -> str:
    if not line["at"]:
        return "-"
    return parse_time(line["at"]).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
