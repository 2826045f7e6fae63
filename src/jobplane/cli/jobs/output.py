"""`jobplane jobs output`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from jobplane.cli.options import speaks
from jobplane.cli.output.printing import COLOURS, say
from jobplane.cli.output.text import as_json as json_text
from jobplane.cli.output.text import harmless

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api, Fields

_TAIL: Final = 64 * 1024  # bytes that are kept of each stream


@click.command("output")
@click.argument("job_id", metavar="ID")
@click.option("--attempt", type=click.IntRange(1), metavar="N", help="The attempt; default: the last one.")
@click.option("--stderr", "is_stderr", is_flag=True, help="Its stderr instead of its stdout.")
@click.option("--json", "as_json", is_flag=True, help="Both, and what the command used, as JSON.")
@speaks
async def output(api: Api, job_id: str, attempt: int | None, is_stderr: bool, as_json: bool) -> None:
    """Print the last 64 KiB that the command of an attempt wrote to stdout. `jobs logs` has all of its lines."""
    from jobplane.cli.remote.client import path_of
    from jobplane.cli.remote.jobs import resolve_id

    job = await resolve_id(api, job_id)
    number = str(attempt or await _find_newest(api, job))
    found = await api.get(path_of("jobs", job, "attempts", number, "output"))
    if as_json:
        click.echo(json_text(found))
    else:
        _print(found, "stderr" if is_stderr else "stdout")


async def _find_newest(api: Api, job_id: str) -> int:
    """The number of the newest attempt whose command has reported, else of the newest one."""
    from jobplane.cli.remote.client import path_of

    attempts = (await api.get(path_of("jobs", job_id, "attempts"), {"limit": 50}))["items"]
    numbers = [each["attempt_no"] for each in attempts if each.get("stdout_bytes") is not None]
    return next(iter([*numbers, *(each["attempt_no"] for each in attempts), 1]))


def _print(found: Fields, stream: str) -> None:
    """The lines on stdout, without what a terminal would obey; on stderr what is missing of them."""
    text, written = found[f"{stream}_tail"], found[f"{stream}_bytes"]
    if text is None:
        say(f"The {stream} cannot be decoded.")
        return
    for line in text.splitlines():
        click.echo(harmless(line), color=COLOURS)
    if not text:
        say(f"The command wrote nothing to {stream}.")
    elif written is not None and written > _TAIL:
        say(f"The command wrote {written:,} bytes to {stream}. These are the last {_TAIL:,}.")
