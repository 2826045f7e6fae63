"""One PostgreSQL for the whole run, and a fresh database from a template for each test."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, source
from tests.pooler import pooled

Rows = list[tuple[Any, ...]]

# A test may lose what it has written when the machine dies; it may not lose a minute to fsync. Two races of a hundred
# claimers each may be on at once.
SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum_naptime": "1h",
    "max_connections": "500",
}


@dataclass
class Cluster:
    """The server of this run, directly or through a pooler, and the template that tests copy."""

    server: EmbeddedServer
    host: str
    template: str
    _numbers: count[int] = field(default_factory=count)

    def url(self, role: str, database: str, *, direct: bool = False) -> str:
        if direct or not self.host:
            return self.server.url(f"jobplane_{role}", database)
        return f"postgresql://jobplane_{role}@/{database}?host={self.host}&port=6432"

    def admin(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The owner, who may create databases; it is no superuser."""
        return psycopg.connect(self.server.url("jobplane_owner", "jobplane"), autocommit=True)

    @contextmanager
    def fresh(self, template: str | None = None) -> Generator[Database]:
        """A database of its own, dropped at the end whatever is still connected to it."""
        name = f"t_{os.getpid()}_{next(self._numbers)}"
        with self.admin() as conn:
            make = sql.SQL("create database {} template {}")
            conn.execute(make.format(sql.Identifier(name), sql.Identifier(template or self.template)))
            try:
                with Database(self, name) as database:
                    yield database
            finally:
                _drop(conn, name)


def _drop(conn: psycopg.Connection[tuple[Any, ...]], name: str) -> None:
    """The owner inherits nothing, so it puts the role on that may end what a test has left connected."""
    with conn.transaction():
        conn.execute("set local role pg_signal_backend")
        conn.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", [name])
    conn.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))


@dataclass
class Database:
    """A migrated database with one login for each role."""

    cluster: Cluster
    name: str
    _open: list[psycopg.Connection[tuple[Any, ...]]] = field(default_factory=list)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        for conn in self._open:
            conn.close()

    def url(self, role: str, *, direct: bool = False) -> str:
        return self.cluster.url(role, self.name, direct=direct)

    def connect(self, role: str, *, autocommit: bool = True) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection as jobplane_<role>, closed when the test ends."""
        threshold = None if self.cluster.host else 5
        conn = psycopg.connect(self.url(role), autocommit=autocommit, prepare_threshold=threshold)
        self._open.append(conn)
        return conn

    def peek(self, statement: str, *parameters: object) -> Rows:
        """Look (or meddle) as the engine, whom no policy holds back."""
        with psycopg.connect(self.url("owner", direct=True)) as conn:
            conn.execute("set role jobplane_engine")
            cursor = conn.execute(statement.encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def own(self, statement: str) -> None:
        """Change the schema itself, as its owner."""
        with psycopg.connect(self.url("owner", direct=True)) as conn:
            conn.execute(statement.encode())


@contextmanager
def running(directory: Path, template: str) -> Generator[Cluster]:
    """The run's server, shared by its worker processes, with a template that has just been migrated."""
    bin_dir = os.environ.get("JOBPLANE_TEST_PG_BIN")
    chosen = Path(bin_dir) if bin_dir else None
    roles = source.load().roles + "\ngrant pg_signal_backend to jobplane_owner;\n"
    with EmbeddedServer(directory, bin_dir=chosen, bootstrap_sql=roles, settings=SETTINGS) as server:
        cluster = Cluster(server, "", template)
        with cluster.admin() as conn:
            conn.execute(sql.SQL("drop database if exists {}").format(sql.Identifier(template)))
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(template)))
        migrate.up(server.url("jobplane_owner", template))
        with _pooled_if_asked(cluster) as cluster.host:
            yield cluster


def _pooled_if_asked(cluster: Cluster) -> AbstractContextManager[str]:
    return pooled(cluster) if os.environ.get("JOBPLANE_TEST_POOLER") else nullcontext("")
