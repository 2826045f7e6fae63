"""`jobplane server`: the REST API on this machine, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import click

from jobplane.cli.signals import note_stops


@click.command("server")
@click.option("--http", metavar="HOST:PORT", help="Where to listen; default 127.0.0.1:8580.")
@click.option("--root-path", metavar="/PATH", help="The path under which a proxy serves it.")
@click.option(
    "--trusted-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="Trust X-Forwarded-For from this address or network; repeatable.",
)
@click.option("--listen-fd", type=int, hidden=True, help="A socket that listens already.")
@click.option("--url", metavar="URL", help="The database; default: database_url.")
@click.option(
    "--log-format",
    type=click.Choice(["auto", "human", "json"]),
    help="Format of log lines; auto: human on a terminal, else JSON.",
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="The lowest level to log; default info.",
)
def command(
    http: str | None,
    root_path: str | None,
    proxies: tuple[str, ...],
    listen_fd: int | None,
    url: str | None,
    log_format: str | None,
    log_level: str | None,
) -> None:
    """Serve the REST API, until SIGTERM or Ctrl-C. A second one stops it at once."""
    stopped = note_stops()
    from jobplane import config
    from jobplane.cli.extras import require_server
    from jobplane.telemetry import logging

    require_server()
    flags = {
        "server_http": http,
        "server_root_path": root_path,
        "server_trusted_proxies": proxies or None,
        "database_url": url,
        "log_format": log_format,
        "log_level": log_level,
    }
    settings = config.load(flags).base_on("app")
    logging.set_up(settings.log_format, settings.log_level)
    from jobplane.server.serving import serve

    serve(settings, descriptor=listen_fd, stopped=stopped)
