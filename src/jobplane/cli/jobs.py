"""`jobplane jobs`: what jobs do, seen from a terminal."""

from __future__ import annotations

import json
import logging
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

import click

from jobplane.core.errors import JobNotFound, StoreUnavailable, TenantNotFound

if TYPE_CHECKING:
    from jobplane import LogLine

# What of a log may reach a terminal: text, tabs, newlines and colours; no cursor moves, titles or links.
_CONTROLS: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|\x1b.?|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")
_END_OF_COLOUR: Final = "\x1b[0m"
_COLOURS: Final = False if os.environ.get("NO_COLOR") else None  # None: where there is a terminal


@click.group("jobs")
def command() -> None:
    """Look at jobs."""


@command.command()
@click.argument("job_id", metavar="ID", type=click.UUID)
@click.option("-f", "--follow", is_flag=True, help="Go on until the job has ended.")
@click.option("--attempt", type=click.IntRange(1), metavar="N", help="One attempt only.")
@click.option("--tenant", metavar="SLUG|UUID", default="default", show_default=True, help="Whose job it is.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each line.")
@click.option("--url", metavar="URL", help="The database; default: database_url.")
def logs(job_id: UUID, follow: bool, attempt: int | None, tenant: str, as_json: bool, url: str | None) -> None:
    """Print what a job has written, of all its attempts, in order."""
    from jobplane import Jobplane, config

    _refuse_new_file(config.load({"database_url": url}).url("app"))
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # whoever follows is told once that it is away
    with Jobplane(url, tenant=tenant) as plane:
        lines = plane.logs(job_id, follow=follow, attempt=attempt)
        silent = True
        try:
            for line in lines:
                click.echo(_as_json(line) if as_json else _as_text(line), color=_COLOURS)
                silent = False
            if silent and attempt is not None:
                count = plane.get(job_id).attempt_no
                click.echo(f"attempt {attempt} has no lines; attempts of this job so far: {count}", err=True)
        except JobNotFound:
            message = f"There is no job {job_id} of tenant {tenant!r}; --tenant names another."
            raise JobNotFound(message, job_id=job_id) from None
        except TenantNotFound:
            raise TenantNotFound(
                f"There is no tenant {tenant!r}: --tenant takes its slug or its UUID.", tenant=tenant
            ) from None


def _refuse_new_file(url: str) -> None:
    """To look for a job must not leave an empty database behind."""
    path = url.removeprefix("sqlite:///")
    if path != url and not Path(path).exists():
        raise StoreUnavailable(f"There is no file {path}: name the database with --url, or database_url.")


def _as_json(line: LogLine) -> str:
    return json.dumps({**line._asdict(), "at": _time(line)})


def _as_text(line: LogLine) -> str:
    fields = "".join(f" {name}={json.dumps(value, ensure_ascii=False)}" for name, value in (line.fields or {}).items())
    mark = f" [cannot be decoded: {', '.join(line.undecodable)}]" if line.undecodable else ""
    return harmless(f"{_time(line) or '-'} {line.attempt_no} {line.level or '-':<7} {line.message or ''}{fields}{mark}")


def _time(line: LogLine) -> str | None:
    if "at" in line.undecodable:
        return None
    return line.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def harmless(text: str) -> str:
    """Without what could move a cursor, set a title or make a link; a colour ends with its line."""
    kept = _CONTROLS.sub(lambda found: found[0] if _COLOUR.fullmatch(found[0]) else "", text)
    return kept + _END_OF_COLOUR if "\x1b" in kept else kept
