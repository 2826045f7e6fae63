"""`jobplane retention`: remove what is past its time, or print what would go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import click

from jobplane.cli.files import refuse_new_file
from jobplane.cli.output.printing import Fields, Printer, say
from jobplane.cli.output.tables import Column, Noun
from jobplane.cli.output.text import format_bytes

if TYPE_CHECKING:
    from datetime import datetime

    from jobplane.config import Config
    from jobplane.control.pruned import Pruned
    from jobplane.control.retention import Retention

_DEFINITION: Final = Column("DEFINITION", lambda row: row["definition"])
_LINES: Final = Column("LINES", lambda row: f"{row['lines']:,}")
_JOBS_TABLE: Final = Noun(
    "definitions",
    "definition",
    (
        _DEFINITION,
        Column("JOBS", lambda row: f"{row['jobs']:,}"),
        Column("OLDEST ENDED", lambda row: row["oldest_at"]),
        _LINES,
    ),
)
_LOGS_TABLE: Final = Noun("definitions", "definition", (_DEFINITION, _LINES))


@click.command("retention")
@click.option("--dry-run", is_flag=True, help="Print the counts, and remove nothing.")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("--url", metavar="URL", help="The database; default: database_url_scheduler, then database_url.")
def command(dry_run: bool, output: Literal["table", "json"], url: str | None) -> None:
    """Remove ended jobs, log lines and artifact files that are past their retention time.

    The definition says how long each is kept, else the settings retention_days, retention_count and
    retention_days_logs. Files are removed where artifacts_dir is set.
    """
    from jobplane import config, opening
    from jobplane.control.immediate import Immediate, block
    from jobplane.control.retention import Retention

    settings = config.load({"database_url": url, "database_url_scheduler": url}).base_on("scheduler")
    refuse_new_file(settings.url("scheduler"))
    with opening.open_blocking(settings) as store:
        retention = Retention(
            Immediate(store),
            retention_days=settings.retention_days,
            retention_days_logs=settings.retention_days_logs,
            retention_count=settings.retention_count,
            pause=block,
        )
        _run(retention, settings, Printer(output), dry_run=dry_run)


def _run(retention: Retention, settings: Config, printer: Printer, *, dry_run: bool) -> None:
    from jobplane.control.immediate import finish

    jobs = finish(retention.prune_jobs(dry_run=dry_run))
    logs = finish(retention.prune_logs(dry_run=dry_run))
    directory = settings.artifacts_dir
    files = None if directory is None else finish(retention.prune_artifacts(directory, dry_run=dry_run))
    if not printer.is_table:
        found = {"jobs": jobs.document(), "logs": logs.document(), "artifacts": files and files.document()}
        printer.some([], found, _JOBS_TABLE)
        return
    went = "would go" if dry_run else "are gone"
    printer.some(_rows(jobs), {}, _JOBS_TABLE)
    say(f"{jobs.jobs:,} jobs {went}, with {jobs.lines:,} log lines.")
    printer.some(_rows(logs), {}, _LOGS_TABLE)
    blocks = f", and {logs.blocks} blocks of a million jobs each" if logs.blocks else ""
    say(f"{logs.lines:,} log lines {went}{blocks}.")
    if files is None:
        say("No files: artifacts_dir is not set.")
    else:
        say(f"{files.files:,} files {went}, {format_bytes(files.bytes)}.")


def _rows(done: Pruned) -> list[Fields]:
    return [
        {"definition": key, "jobs": found.jobs, "lines": found.lines, "oldest_at": _moment(found.oldest_at)}
        for key, found in sorted(done.definitions.items())
    ]


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(" ", "seconds")
