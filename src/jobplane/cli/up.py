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
    import socket

    from jobplane.cli.launching.first_key import FirstKey
    from jobplane.config import Config
    from jobplane.opening.postgres import Server

DEMO: Final = "jobplane.cli.demo.jobs"
ADDRESS: Final = "127.0.0.1:8580"


@click.command("up")
@click.option("--dir", "directory", type=click.Path(path_type=Path, file_okay=False), help="The directory of the data.")
@click.option("--url", metavar="URL", help="Your own database instead of an embedded PostgreSQL.")
@click.option("--http", metavar="HOST:PORT", help=f"Where the server listens; default {ADDRESS}.")
@click.option(
    "--bin-dir", type=click.Path(path_type=Path, file_okay=False), help="The bin directory of a PostgreSQL 15 to 18."
)
@click.option("--import", "imports", metavar="MODULE", multiple=True, help="Run the jobs of this module; repeatable.")
@click.option(
    "--policy", type=click.Path(path_type=Path), help="Run the commands of this policy; default: worker_policy."
)
@click.option("--demo", is_flag=True, help="Run a stream of jobs in three tenants, some of which fail.")
def command(
    directory: Path | None,
    url: str | None,
    http: str | None,
    bin_dir: Path | None,
    imports: tuple[str, ...],
    policy: Path | None,
    demo: bool,
) -> None:
    """Start a database, the server, a scheduler and a worker, print a key and a link to sign in, run until Ctrl-C.

    Without --url the database is an embedded PostgreSQL.
    """
    stopped = note_stops()
    from jobplane.cli.extras import require_server

    require_server()
    modules = (*imports, *((DEMO,) if demo else ()))
    flags = {
        "embedded_bin_dir": bin_dir,
        "worker_imports": modules or None,
        "server_http": http,
        "worker_policy": policy,
    }
    settings = _settings(flags, url, directory)
    try:
        _run(settings, _directory(settings, directory), stopped, demo=demo)
    except StoreError:
        # Ctrl-C reaches the programs that are still making the server, too.
        if not stopped.is_set():
            raise


def _settings(flags: Mapping[str, object], url: str | None, directory: Path | None) -> Config:
    """With the embedded server where no URL is given; raises InvalidConfig where only a setting names a database."""
    from jobplane import config

    own = url or (f"embedded:{directory.absolute()}" if directory else None)
    settings = config.load({**flags, "database_url": own, "migrate_url": own})
    if not settings.database_url:
        return settings.model_copy(update={"database_url": "embedded:"})
    if own is None and not settings.database_url.startswith("embedded:"):
        message = (
            "`jobplane up` runs a server of its own, but database_url names another database. "
            "Pass `--url` to use that one, unset JOBPLANE_DATABASE_URL, or name a directory with --dir."
        )
        raise config.InvalidConfig(message, setting="database_url")
    return settings


def _directory(settings: Config, directory: Path | None) -> Path:
    """Where keys and passwords are kept: with the data of an embedded server, else in a place for each URL."""
    from hashlib import sha256

    from jobplane.embedded import default_data_dir, parse_embedded_url
    from jobplane.process.database import show_url

    if settings.database_url.startswith("embedded:"):
        return parse_embedded_url(settings.database_url)
    if directory is not None:
        return directory.absolute()
    return default_data_dir().parent / f"up-{sha256(show_url(settings.database_url).encode()).hexdigest()[:12]}"


def _run(settings: Config, directory: Path, stopped: threading.Event, *, demo: bool) -> None:
    from jobplane.cli.launching.databases import opened
    from jobplane.cli.launching.files import held
    from jobplane.process.sockets import listen

    with ExitStack() as stack:
        socket_ = stack.enter_context(listen(settings.server_http or ADDRESS, "server_http"))
        server = stack.enter_context(opened(settings, directory))
        stack.enter_context(held(directory))
        if not stopped.is_set():
            _serve(settings, server, directory, socket_, stopped, demo=demo)


def _serve(
    settings: Config,
    server: Server,
    directory: Path,
    socket_: socket.socket,
    stopped: threading.Event,
    *,
    demo: bool,
) -> None:
    from jobplane.cli.launching.children import Child, run_children
    from jobplane.cli.launching.databases import settings_on
    from jobplane.cli.launching.first_key import FILE, first_key
    from jobplane.process.sockets import shown_url

    own = settings_on(settings, server)
    _show(settings, server, shown_url(socket_), first_key(own, directory), directory / FILE)
    env = _environment(own)
    descriptor = str(socket_.fileno())
    children = [Child("server", ["server", "--listen-fd", descriptor], env, keep=(socket_.fileno(),))]
    with ExitStack() as running:
        policy = _play(own, server, running) if demo else own.worker_policy
        if words := _worker_words(own, policy):
            children.append(Child("worker", words, env, grace_seconds=own.grace_seconds + 10))
        else:
            click.echo("No worker runs here. Give it jobs with --import MODULE, --policy FILE or --demo.", err=True)
        if own.scheduler_enabled:
            children.append(Child("scheduler", ["scheduler"], env))
        else:
            click.echo("No scheduler runs here: scheduler_enabled is false. No schedule fires.", err=True)
        run_children(children, stopped)


def _play(settings: Config, server: Server, running: ExitStack) -> Path | None:
    """Enqueue the jobs of the demo while the stack is open, and answer the policy for the worker."""
    from jobplane.cli.demo.command import allowed_command
    from jobplane.cli.demo.stream import stream_jobs

    own, admin = settings.worker_policy, server.urls["admin"]
    policy = running.enter_context(allowed_command(admin)) if own is None else None
    running.enter_context(stream_jobs(server.urls["app"], admin, has_command=policy is not None))
    return own or policy


def _worker_words(settings: Config, policy: Path | None) -> list[str]:
    """The command line of the worker; empty where it would have nothing to run."""
    imports = [word for module in settings.worker_imports for word in ("--import", module)]
    allowed = [] if policy is None else ["--policy", str(policy)]
    return ["worker", *imports, *allowed] if imports or allowed else []


def _environment(settings: Config) -> dict[str, str]:
    """What the children need to find the same database, each with its own login."""
    from jobplane.opening import ROLES

    urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": settings.url(role) for role in ROLES if role != "owner"}
    quiet = {"JOBPLANE_LOG_LEVEL": settings.log_level if "log_level" in settings.model_fields_set else "warning"}
    return {**urls, **quiet, "JOBPLANE_DATABASE_URL": settings.database_url}


def _show(settings: Config, server: Server, address: str, key: FirstKey, path: Path) -> None:
    """Data on stdout, a name and a value on each line; the words for people on stderr."""
    is_embedded = settings.database_url.startswith("embedded:")
    if is_embedded:
        for role, url in server.urls.items():
            click.echo(f"{role:<12} {url}")
    click.echo(f"{'http':<12} {address}")
    click.echo(f"{'key':<12} {key.text if key.is_new else path}")
    click.echo(f"{'sign-in':<12} {address}{settings.server_root_path}{key.link.path}")
    lines = [
        f"{server.version}. Ctrl-C stops it; the data stay.",
        f"The key of the super admin is {'shown this once, and kept ' if key.is_new else ''}in {path}.",
        "The sign-in link signs one browser in, once, within ten minutes. Another one: jobplane login --web",
        "In another terminal:",
        f'  curl -s {address}/api/v1/me -H "Authorization: Bearer $(cat {quote(str(path))})"',
    ]
    if is_embedded:
        lines += ["For your programs and workers:", *(f"  export {variable}" for variable in _variables(settings))]
        lines += [
            "and for SQL:",
            f"  psql '{server.urls['app']}'      # as an application",
            f"  psql '{server.urls['admin']}'    # as an operator",
        ]
    click.echo("\n".join(lines), err=True)


def _variables(settings: Config) -> list[str]:
    """What programs in another directory and environment need to find the same server."""
    from jobplane.embedded import parse_embedded_url

    found = {"DATABASE_URL": f"embedded:{parse_embedded_url(settings.database_url)}"}
    if settings.embedded_bin_dir:
        found["EMBEDDED_BIN_DIR"] = str(settings.embedded_bin_dir.absolute())
    return [f"JOBPLANE_{name}={quote(value)}" for name, value in found.items()]
