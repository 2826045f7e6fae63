"""`jobplane worker`: run jobs on this machine, until SIGTERM or Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

from jobplane.cli.signals import note_stops

_LEVELS: Final = ["debug", "info", "warning", "error"]
Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def _option(flag: str, metavar: str | None, text: str, *, multiple: bool = False) -> Decorator:
    """The configuration judges the value: a flag, a variable and a line of the file are refused in the same words."""
    return click.option(flag, metavar=metavar, help=text, multiple=multiple)


@click.command("worker")
@click.option(
    "--import", "imports", metavar="MODULE", multiple=True, help="A module with @jp.job functions; repeatable."
)
@_option("--queue", "NAME[=WEIGHT]", "Serve this queue; default: those of the definitions. Repeatable.", multiple=True)
@_option("--concurrency", "N", "Jobs at a time in each process; default 16.")
@_option("--processes", "N", "Processes that run jobs; default: one for each core.")
@_option("--prefetch", "N", "The most jobs to claim ahead of those that run; default 1000.")
@_option("--policy", "FILE", "The policy: which commands this machine may run; default: none.")
@_option("--commands", "N", "Commands at a time; default: twice as many as cores.")
@_option("--name", "NAME", "A readable name, the same after a restart; default: the host name.")
@_option("--http", "HOST:PORT", "Serve /healthz and /readyz here.")
@_option("--lease-seconds", "N", "Seconds until a lease that is not renewed expires; default 30.")
@_option("--grace-seconds", "N", "Seconds that running jobs may take to finish after SIGTERM; default 25.")
@_option("--url", "URL", "The database, as the worker's login.")
@click.option(
    "--log-format",
    type=click.Choice(["auto", "human", "json"]),
    help="Format of log lines; auto: human on a terminal, else JSON.",
)
@click.option("--log-level", type=click.Choice(_LEVELS), help="The lowest level of the worker's own log; default info.")
def command(imports: tuple[str, ...], queue: tuple[str, ...], url: str | None, **given: str | None) -> None:
    """Claim jobs and run them, until SIGTERM or Ctrl-C. A second one stops them at once."""
    stopped = note_stops()
    from jobplane import config
    from jobplane.telemetry import logging
    from jobplane.worker.serving import serve

    settings = config.load(_flags(imports, queue, url, given))
    logging.set_up(settings.log_format, settings.log_level)
    serve(settings, url=url, stopped=stopped)


def _flags(
    imports: tuple[str, ...], queues: tuple[str, ...], url: str | None, given: dict[str, str | None]
) -> dict[str, object]:
    own = ("lease_seconds", "grace_seconds", "log_format", "log_level")
    named = {key if key in own else f"worker_{key}": value for key, value in given.items()}
    return {
        **named,
        "worker_imports": imports or None,
        "worker_queues": queues or None,
        "database_url": url,
        "database_url_worker": url,
    }
