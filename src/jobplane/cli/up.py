"""`jobplane up`: everything on this machine, until Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from jobplane.cli.signals import note_stops
from jobplane.core.errors import StoreError

if TYPE_CHECKING:
    from jobplane.config import Config
    from jobplane.opening.postgres import Server

DEMO: Final = "jobplane.cli.demo.jobs"


@click.command("up")
@click.option("--dir", "directory", type=click.Path(path_type=Path, file_okay=False), help="Where the data live.")
@click.option("--bin-dir", type=click.Path(path_type=Path, file_okay=False), help="The bin of a PostgreSQL 15 to 18.")
@click.option("--import", "imports", metavar="MODULE", multiple=True, help="Run the jobs of this module; repeatable.")
@click.option("--demo", is_flag=True, help="Run a stream of jobs in three tenants, some of which fail.")
def command(directory: Path | None, bin_dir: Path | None, imports: tuple[str, ...], demo: bool) -> None:
    """Start an embedded PostgreSQL with roles and schema, print a URL for each role, run jobs until Ctrl-C."""
    stopped = note_stops()
    url = f"embedded:{directory.absolute()}" if directory else None
    modules = (*imports, *((DEMO,) if demo else ()))
    flags = {"database_url": url, "migrate_url": url, "embedded_bin_dir": bin_dir, "worker_imports": modules or None}
    settings = _settings(flags)
    try:
        _serve(settings, stopped, demo=demo)
    except StoreError:
        # Ctrl-C reaches the programs that are still making the server, too.
        if not stopped.is_set():
            raise


def _settings(flags: Mapping[str, object]) -> Config:
    """With the embedded server where no URL is given; raises InvalidConfig where one names another database."""
    from jobplane import config, opening

    settings = config.load(flags)
    if not settings.database_url:
        settings = settings.model_copy(update={"database_url": "embedded:"})
    if opening.is_embedded(settings):
        return settings
    message = (
        "`jobplane up` runs a server of its own, but database_url names another database. "
        "Unset JOBPLANE_DATABASE_URL, or name a directory with --dir."
    )
    raise config.InvalidConfig(message, setting="database_url")


def _serve(settings: Config, stopped: threading.Event, *, demo: bool) -> None:
    from jobplane.opening.postgres import migrations, open_server, run_upkeep

    with open_server(settings) as server:
        if stopped.is_set():
            return
        report = migrations.up(server.urls["owner"], trust=settings.trust)
        _show(server, report.number, settings)
        if stopped.is_set():
            return
        with run_upkeep(server, settings), ExitStack() as running:
            if demo:
                from jobplane.cli.demo.stream import stream_jobs

                running.enter_context(stream_jobs(server.urls["app"], server.urls["admin"]))
            if settings.worker_imports:
                _work(server, settings, stopped)
            else:
                click.echo("No worker runs here: give it jobs with --import MODULE, or with --demo.", err=True)
                stopped.wait()
        click.echo("stopping", err=True)


def _work(server: Server, settings: Config, stopped: threading.Event) -> None:
    """Run a worker on the server that is there, in this process; it takes the signals and ends with the first."""
    from jobplane.opening import ROLES
    from jobplane.telemetry import logging
    from jobplane.worker.serving import serve

    urls = {f"database_url_{role}": server.urls[role] for role in ROLES if role != "owner"}
    logging.set_up(settings.log_format, settings.log_level)
    own = settings.model_copy(update={**urls, "database_url": server.urls["app"]})
    serve(own, url=server.urls["app"], stopped=stopped)
    note_stops()  # whoever asks again has to wait until the server has stopped


def _show(server: Server, number: int, settings: Config) -> None:
    for role, url in server.urls.items():
        click.echo(f"{role:<12} {url}")
    lines = [
        f"PostgreSQL {server.version}, schema {number}. Ctrl-C stops it; the data stay.",
        "In another terminal, for your programs and workers:",
        *(f"  export {variable}" for variable in _variables(settings)),
        "and for SQL:",
        f"  psql '{server.urls['app']}'      # as an application",
        f"  psql '{server.urls['admin']}'    # as an operator",
    ]
    click.echo("\n".join(lines), err=True)


def _variables(settings: Config) -> list[str]:
    """What programs in another directory and environment need to find the same server."""
    from jobplane.embedded import parse_embedded_url

    found = {"DATABASE_URL": f"embedded:{parse_embedded_url(settings.url('owner'))}"}
    if settings.embedded_bin_dir:
        found["EMBEDDED_BIN_DIR"] = str(settings.embedded_bin_dir.absolute())
    return [f"JOBPLANE_{name}={quote(value)}" for name, value in found.items()]
