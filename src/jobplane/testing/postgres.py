"""Databases of PostgreSQL for tests: one template for a run, and a copy of it for each test."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
from psycopg import sql

from jobplane import config as configuration
from jobplane.config import Config, Role
from jobplane.embedded import EmbeddedServer
from jobplane.opening.postgres import migrations
from jobplane.testing.clock import Clock, DatabaseClock
from jobplane.testing.hosting import HostedStores

# A test may lose what it has written when the machine dies; it may not wait for the disk.
_FORGETFUL: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum_naptime": "1h",
    "max_connections": "300",
}
_END_SESSIONS: Final = "\ngrant pg_signal_backend to jobplane_owner;\n"
Prepare = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """Where databases can be made; `url` gives one for a role and a database."""

    url: Callable[[Role, str], str]
    maintenance: str
    trust: Literal["roles", "single"]

    @classmethod
    @contextmanager
    def embedded(cls, directory: Path) -> Generator[PostgresServer]:
        """A server of the run's own, with the roles of production; processes that name the directory share it."""
        roles = migrations.roles_sql() + _END_SESSIONS
        bin_dir = configuration.load({}).embedded_bin_dir
        with EmbeddedServer(directory, bin_dir=bin_dir, bootstrap_sql=roles, settings=_FORGETFUL) as server:
            yield cls(lambda role, name: server.url(f"jobplane_{role}", name), "jobplane", "roles")

    @classmethod
    def at(cls, url: str) -> PostgresServer:
        """A server that is there; its login may create databases, and does everything in them (`trust = "single"`)."""
        parts = urlsplit(url)
        return cls(lambda _, name: parts._replace(path=f"/{name}").geturl(), parts.path[1:] or "postgres", "single")

    @contextmanager
    def template(self, prepare: Prepare | None = None) -> Generator[Template]:
        """A migrated database to copy; `prepare` gets its owner's URL, to add an application's own tables."""
        made = Template(self, f"jobplane_test_{uuid4().hex[:12]}")
        self.run("create database {}", made.name)
        try:
            migrations.up(self.url("owner", made.name), trust=self.trust)
            if prepare is not None:
                prepare(self.url("owner", made.name))
            yield made
        finally:
            self.drop(made.name)

    def drop(self, name: str) -> None:
        """Whatever is still connected to it."""
        with self._connect() as conn:
            if self.trust == "roles":
                _end_sessions(conn, name)
            conn.execute(_name("drop database {} with (force)" if self.trust == "single" else "drop database {}", name))

    def run(self, statement: str, *names: str) -> None:
        with self._connect() as conn:
            conn.execute(_name(statement, *names))

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.url("owner", self.maintenance), autocommit=True)


@dataclass(slots=True)
class Template:
    """A database that tests copy. Nobody may be connected to it."""

    server: PostgresServer
    name: str
    _numbers: count[int] = field(default_factory=count)

    def copy(self) -> PostgresDatabase:
        name = f"{self.name}_{next(self._numbers)}"
        self.server.run("create database {} template {}", name, self.name)
        return PostgresDatabase(self.server, name)


class PostgresDatabase:
    """One copy."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self._server = server
        self._name = name
        self.config = Config(
            database_url=server.url("app", name),
            trust=server.trust,
            allow_unsafe_durability=True,
            migrate_url=server.url("owner", name),
            database_url_worker=server.url("worker", name),
            database_url_scheduler=server.url("scheduler", name),
            database_url_admin=server.url("admin", name),
            database_url_maintenance=server.url("maintenance", name),
        )

    def stores(self) -> HostedStores:
        return HostedStores(self.config, "apsw", {})

    def freeze(self, at: datetime) -> Clock:
        return DatabaseClock(self._server.url("owner", self._name), at)

    def drop(self) -> None:
        self._server.drop(self._name)


def _name(statement: str, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))  # pyright: ignore[reportArgumentType]


def _end_sessions(conn: psycopg.Connection[tuple[Any, ...]], name: str) -> None:
    """The owner inherits nothing, so it puts the role on that may end what a test has left connected."""
    with conn.transaction():
        conn.execute("set local role pg_signal_backend")
        conn.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", [name])
