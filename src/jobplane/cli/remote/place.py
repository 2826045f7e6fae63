"""Where a command goes: to a server, or to a database with a server inside this process."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from jobplane.core.errors import Denied, Forbidden, StoreUnavailable

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api
    from jobplane.config import Config
    from jobplane.store.base import Store

_NOWHERE: Final = (
    "No server and no database is named. Set JOBPLANE_SERVER_URL (and JOBPLANE_API_KEY) to speak to a server, or "
    "JOBPLANE_DATABASE_URL to postgresql://user@host/database, sqlite:///jobs.db (a file) or embedded:."
)


@dataclass(frozen=True, slots=True)
class Place:
    """What the flags --server, --url and --tenant say."""

    server: str | None
    url: str | None
    tenant: str | None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Api]:
        """The API of the flags, else of the settings: a server comes before a database. Raises InvalidConfig."""
        from jobplane import config
        from jobplane.cli.extras import require_client

        require_client()
        if self.server and self.url:
            raise click.UsageError("--server and --url exclude each other.")
        flags = {"server_url": self.server, "database_url": self.url, "tenant": self.tenant}
        settings = config.load(flags)
        if settings.server_url and not self.url:
            async with _reach(settings) as api:
                yield api
            return
        if not any((settings.database_url, settings.database_url_app, settings.database_url_admin)):
            raise config.InvalidConfig(_NOWHERE, setting="server_url")
        async with _open_inside(settings.base_on("app")) as api:
            yield api


@asynccontextmanager
async def _reach(settings: Config) -> AsyncGenerator[Api]:
    from jobplane.cli.remote.client import Api, new_client

    async with new_client(settings.server_url, settings.api_key) as client:
        yield Api(client, settings.server_url, settings.tenant or None, settings.server_url)


@asynccontextmanager
async def _open_inside(settings: Config) -> AsyncGenerator[Api]:
    """The whole server without a port. The caller is the operator's login."""
    from jobplane.cli.extras import require_server
    from jobplane.cli.remote.client import Api, new_client
    from jobplane.cli.remote.transport import InsideTransport

    require_server()
    _refuse_new_file(settings.url("app"))
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # a caller is told once that the database is away
    from jobplane import opening
    from jobplane.control.access import Caller, Role
    from jobplane.core.actors import Actor
    from jobplane.server.app import make_app

    store = await opening.open_served(settings)
    try:
        name = opening.login(settings)
        await _require_operator(store, name)
        app = make_app(settings, store, caller=Caller(Actor("login", name), Role.SUPER_ADMIN))
        transport = InsideTransport(app)
        async with app.router.lifespan_context(app), new_client("http://jobplane", "", transport) as client:
            yield Api(client, "the database", settings.tenant or None, _page_url(settings), is_inside=True)
    finally:
        await store.close()


def _page_url(settings: Config) -> str:
    """Where the server of this database is: as server_url says, else on this machine, where its settings put it."""
    from jobplane.cli.up import ADDRESS
    from jobplane.process.sockets import near_url

    host, _, port = (settings.server_http or ADDRESS).rpartition(":")
    return settings.server_url or near_url(host.strip("[]"), port) + settings.server_root_path


async def _require_operator(store: Store, name: str) -> None:
    """Raise Forbidden where the login may not call the operator's verbs."""
    from jobplane.store.verbs.operator import ListTenants

    try:
        await store.run(ListTenants(1, ""))
    except Denied as error:
        message = (
            f'The login "{name}" may not operate jobplane: {error.message.rstrip(".")}. Set database_url_admin to a '
            "login that is a member of jobplane_admin, or name a server with --server."
        )
        raise Forbidden(message, setting="database_url_admin") from None


def _refuse_new_file(url: str) -> None:
    """To look for a job must not leave an empty database behind."""
    path = url.removeprefix("sqlite:///")
    if path != url and not Path(path).exists():
        raise StoreUnavailable(f"There is no file {path}. Name the database with --url, or database_url.")
