"""The database of `jobplane up`: an embedded one, a file, or a PostgreSQL of yours with logins of its own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jobplane.config import Config
from jobplane.opening import ROLES

if TYPE_CHECKING:
    from jobplane.opening.postgres import Server

ONE_DOMAIN = "A SQLite file is one trust domain: whoever can read the file can read the jobs of all tenants."


@contextmanager
def opened(config: Config, directory: Path) -> Generator[Server]:
    """The database with its schema and a URL for each login, until the block ends."""
    from jobplane.opening.postgres import Server, migrations, open_server

    if config.database_url.startswith("sqlite:"):
        click.echo(ONE_DOMAIN, err=True)
        url = config.locate(Path.cwd()).database_url
        yield Server(dict.fromkeys(ROLES, url), f"SQLite, {url.removeprefix('sqlite:///')}")
        return
    if config.database_url.startswith("embedded:"):
        with open_server(config) as server:
            number = migrations.up(server.urls["owner"], trust=config.trust).number
            yield Server(server.urls, f"PostgreSQL {server.version}, schema {number}")
        return
    from jobplane.cli.launching.logins import logins

    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    urls = logins(config.database_url, directory)
    number = migrations.up(urls["owner"], trust=config.trust).number
    yield Server(urls, f"PostgreSQL of yours, schema {number}")


def settings_on(config: Config, server: Server) -> Config:
    """The configuration with the URL of each login."""
    urls = {f"database_url_{role}": server.urls[role] for role in ROLES if role != "owner"}
    return config.model_copy(update={**urls, "database_url": server.urls["app"], "migrate_url": server.urls["owner"]})
