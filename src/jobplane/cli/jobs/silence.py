"""What `jobplane jobs logs` prints for a job or an attempt that has no log lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jobplane.cli.jobs.sentences import describe_attempt, describe_reason, describe_state
from jobplane.cli.output.printing import COLOURS, say
from jobplane.cli.output.text import as_json as json_text
from jobplane.cli.output.text import block

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]


async def report_silence(api: Api, job_id: str, attempt_no: int | None, *, as_json: bool) -> None:
    """Print the status, the reason and the error instead of lines."""
    from jobplane.cli.remote.client import path_of

    job = await api.get(path_of("jobs", job_id))
    if attempt_no is None:
        _print(job, f"{describe_state(job)} It has no log lines.", as_json=as_json)
        return
    attempts = (await api.list(path_of("jobs", job_id, "attempts"), {}, None))["items"]
    found = next((each for each in attempts if each["attempt_no"] == attempt_no), None)
    if found is None:
        say(f"Attempt {attempt_no} has no log lines. Attempts of this job so far: {job['attempt_no']}.")
    else:
        _print(found, f"{describe_attempt(found)} It has no log lines.", as_json=as_json)


def _print(found: Fields, text: str, *, as_json: bool) -> None:
    """`found` is a job or an attempt."""
    if as_json:
        fields = {"status": found["status"], "reason": found.get("reason"), "error": found.get("error")}
        line: Fields = {
            "attempt_no": found["attempt_no"],
            "line": 0,
            "at": found.get("finished_at"),
            "level": "error" if found.get("error") else "info",
            "message": click.unstyle(text),
            "fields": fields,
            "undecodable": [],
        }
        click.echo(json_text(line, indent=None))
        return
    click.echo(text, color=COLOURS)
    if reason := describe_reason(found):
        click.echo(reason)
    if found.get("error"):
        click.echo(block(str(found["error"])))
