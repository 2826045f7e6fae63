"""One PostgreSQL for the whole run, and a fresh database from a template for each test."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql

from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, source
from tests.pooler import pooled

Rows = list[tuple[Any, ...]]
Statement = bytes | LiteralString | sql.Composed

# A test may lose what it has written when the machine dies; it may not lose a minute to fsync. Two races of a hundred
# claimers each may be on at once.
SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum_naptime": "1h",
    "max_connections": "500",
    "jit": "on",  # as a stock server has it, where it was built with LLVM
    "max_prepared_transactions": "5",
}


# Beside the owner's right to end what a test has left connected, a login that may do nothing but connect.
_MORE_ROLES: Final = """
grant pg_signal_backend to jobplane_owner;
do $$
begin
  if to_regrole('jobplane_stranger') is null then create role jobplane_stranger login; end if;
end $$;
"""
# Without the timeout of pg_terminate_backend, which looks only ten times a second; "drop database" does the same.
_END: Final = """
set local role pg_signal_backend;
do $$
begin
  for _ in 1..2500 loop
    perform pg_terminate_backend(pid) from pg_stat_activity where datname = {} and pid <> {};
    exit when not found;
    perform pg_sleep(0.002), pg_stat_clear_snapshot();
  end loop;
end $$;
"""


class Hand:
    """One connection for each process that asks, opened at its first use and again where it was cut."""

    def __init__(self, url: str, role: str = "jobplane_owner") -> None:
        self._url = url
        self._role = role
        self._conns: dict[int, psycopg.Connection[tuple[Any, ...]]] = {}

    def run(self, statement: Statement, *parameters: object) -> Rows:
        """In a transaction of its own."""
        try:
            return self._rows(statement, parameters)
        except psycopg.OperationalError:
            conn = self._conns.get(os.getpid())
            if conn is None or not conn.broken:
                raise
            self.close()
            return self._rows(statement, parameters)

    def _rows(self, statement: Statement, parameters: Sequence[object]) -> Rows:
        cursor = self._conn().execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []

    def _conn(self) -> psycopg.Connection[tuple[Any, ...]]:
        conn = self._conns.get(os.getpid())
        if conn is None:
            conn = psycopg.connect(self._url, autocommit=True, prepare_threshold=None)
            conn.execute(sql.SQL("set role {}").format(sql.Identifier(self._role)))
            self._conns[os.getpid()] = conn
        return conn

    def close(self) -> None:
        if conn := self._conns.pop(os.getpid(), None):
            conn.close()


@dataclass
class Cluster:
    """The server of this run, directly or through a pooler, and the template that tests copy."""

    server: EmbeddedServer
    host: str
    template: str
    _numbers: count[int] = field(default_factory=count)
    _derived: set[str] = field(default_factory=set)

    @cached_property
    def _hand(self) -> Hand:
        return Hand(self.server.url("jobplane_owner", "jobplane"))

    def close(self) -> None:
        self._hand.close()

    def url(self, role: str, database: str, *, direct: bool = False) -> str:
        if direct or not self.host:
            return self.server.url(f"jobplane_{role}", database)
        return f"postgresql://jobplane_{role}@/{database}?host={self.host}&port=6432"

    def admin(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The owner, who may create databases; it is no superuser."""
        return psycopg.connect(self.server.url("jobplane_owner", "jobplane"), autocommit=True)

    def make(self, name: str, template: str = "template1") -> None:
        make = sql.SQL("create database {} template {}")
        self._hand.run(make.format(sql.Identifier(name), sql.Identifier(template)))

    def derived(self, name: str, statements: str) -> str:
        """A template like the run's, with these statements run on it by its owner."""
        if name not in self._derived:
            self.drop(name)
            self.make(name, self.template)
            Database(self, name).own(statements)
            self._derived.add(name)
        return name

    def drop(self, name: str) -> None:
        self.disconnect(name)
        self._hand.run(sql.SQL("drop database if exists {}").format(sql.Identifier(name)))

    def disconnect(self, name: str, *, but: int = 0) -> None:
        """The owner inherits nothing, so it puts the role on that may end what a test has left connected."""
        self._hand.run(sql.SQL(_END).format(sql.Literal(name), sql.Literal(but)))

    @contextmanager
    def fresh(self, template: str | None = None) -> Generator[Database]:
        """A database of its own, dropped at the end whatever is still connected to it."""
        name = f"t_{os.getpid()}_{next(self._numbers)}"
        self.make(name, template or self.template)
        try:
            with Database(self, name, template or self.template) as database:
                yield database
        finally:
            self.drop(name)


@dataclass
class Database:
    """A migrated database with one login for each role."""

    cluster: Cluster
    name: str
    template: str = ""
    is_changed: bool = False  # by its owner, beyond what the verbs can take back
    _open: list[psycopg.Connection[tuple[Any, ...]]] = field(default_factory=list)

    @cached_property
    def _hand(self) -> Hand:
        return Hand(self.url("owner", direct=True), "jobplane_engine")

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self._hand.close()
        for conn in self._open:
            conn.close()

    def disconnect(self) -> None:
        """Close what a test has opened, here or elsewhere; the hand stays, for the next test."""
        while self._open:
            self._open.pop().close()
        [(pid,)] = self.peek("select pg_backend_pid()")
        self.cluster.disconnect(self.name, but=pid)

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
        return self._hand.run(statement.encode(), *parameters)

    def own(self, statement: str) -> None:
        """Change the schema itself, as its owner."""
        self.is_changed = True
        with psycopg.connect(self.url("owner", direct=True)) as conn:
            conn.execute(statement.encode())


@contextmanager
def running(directory: Path, template: str) -> Generator[Cluster]:
    """The run's server, shared by its worker processes, with a template that has just been migrated."""
    bin_dir = os.environ.get("JOBPLANE_TEST_PG_BIN")
    chosen = Path(bin_dir) if bin_dir else None
    roles = source.load().roles + _MORE_ROLES
    with EmbeddedServer(directory, bin_dir=chosen, bootstrap_sql=roles, settings=SETTINGS) as server:
        cluster = Cluster(server, "", template)
        with closing(cluster):
            cluster.drop(template)
            cluster.make(template)
            migrate.up(server.url("jobplane_owner", template))
            with _pooled_if_asked(cluster) as cluster.host:
                yield cluster


def _pooled_if_asked(cluster: Cluster) -> AbstractContextManager[str]:
    return pooled(cluster) if os.environ.get("JOBPLANE_TEST_POOLER") else nullcontext("")
