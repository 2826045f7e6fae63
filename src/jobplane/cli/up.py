"""`jobplane up`: everything on this machine, until Ctrl-C."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import click

from jobplane import config, wiring
from jobplane.core.errors import StoreError


@click.command("up")
@click.option("--dir", "directory", type=click.Path(path_type=Path, file_okay=False), help="Where the data live.")
@click.option("--bin-dir", type=click.Path(path_type=Path, file_okay=False), help="The bin of a PostgreSQL 15 to 18.")
def command(directory: Path | None, bin_dir: Path | None) -> None:
    """Start an embedded PostgreSQL with roles and schema, print a URL for each role, keep jobs moving until Ctrl-C."""
    stopped = _on_signals()
    url = f"embedded:{directory.absolute()}" if directory else None
    settings = config.load({"database_url": url, "migrate_url": url, "embedded_bin_dir": bin_dir})
    if not wiring.is_embedded(settings):
        message = "`jobplane up` runs a server of its own; with this database_url run `jobplane migrate up`."
        raise config.InvalidConfig(message, setting="database_url")
    try:
        _serve(settings, stopped)
    except StoreError:
        # Ctrl-C reaches the programs that are still making the server, too.
        if not stopped.is_set():
            raise


def _serve(settings: config.Config, stopped: threading.Event) -> None:
    with wiring.open_server(settings) as server:
        if stopped.is_set():
            return
        report = wiring.migrations.up(server.urls["owner"], trust=settings.trust)
        _show(server, report.number)
        with wiring.kept_up(server, settings):
            stopped.wait()
        click.echo("stopping", err=True)


def _on_signals() -> threading.Event:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopped.set())
    return stopped


def _show(server: wiring.Server, number: int) -> None:
    for role, url in server.urls.items():
        click.echo(f"{role:<12} {url}")
    click.echo(f"PostgreSQL {server.version}, schema {number}; Ctrl-C stops it, the data stay", err=True)
    click.echo(f"  psql '{server.urls['app']}'      as an application", err=True)
    click.echo(f"  psql '{server.urls['admin']}'    as an operator", err=True)
