"""`jobplane scheduler`: fire schedules and do the upkeep, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import click

from jobplane.cli.signals import note_stops


@click.command("scheduler")
@click.option("--http", metavar="HOST:PORT", help="Serve /healthz and /readyz here.")
@click.option("--tick-seconds", metavar="N", help="The most seconds between two checks of the schedules; default 15.")
@click.option("--url", metavar="URL", help="The database, as the scheduler's login.")
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
    http: str | None, tick_seconds: str | None, url: str | None, log_format: str | None, log_level: str | None
) -> None:
    """Fire schedules and do the upkeep, until SIGTERM or Ctrl-C.

    Any number of schedulers may run on one database. Each planned time fires once.
    """
    stopped = note_stops()
    from jobplane import config
    from jobplane.telemetry import logging

    flags = {
        "scheduler_http": http,
        "scheduler_tick_seconds": tick_seconds,
        "database_url": url,
        "database_url_scheduler": url,
        "log_format": log_format,
        "log_level": log_level,
    }
    settings = config.load(flags).base_on("scheduler")
    logging.set_up(settings.log_format, settings.log_level)
    from jobplane.scheduler.serving import serve

    serve(settings, stopped=stopped)
