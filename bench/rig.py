"""The server of a run, and databases copied from templates, so that no reading inherits another's dead rows."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

from bench.cpu import cpu_seconds
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, source

Rows = list[tuple[Any, ...]]

SETTINGS: Final = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
    "autovacuum_naptime": "1h",  # a reading is seconds long: no daemon may wake in some of them only
}
# The owner inherits nothing, so it takes these roles on for one command each.
LARGE_BYTES: Final = 100_000_000  # below, a copy through the WAL is quicker than the two checkpoints of a file copy
RIGHTS: Final = "grant pg_checkpoint, pg_signal_backend to jobplane_owner;"
TERMINATE: Final = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s"
TABLES: Final = "select format('%I.%I', schemaname, relname) from pg_stat_user_tables"
PIDS: Final = "select pid from pg_stat_activity where datname = %s"


@dataclass(frozen=True, slots=True)
class Database:
    """One scratch database of the run."""

    server: EmbeddedServer
    name: str

    def url(self, role: str) -> str:
        return self.server.url(f"jobplane_{role}", self.name)

    def run(self, statement: str, *parameters: object) -> Rows:
        """As the engine, whom no policy holds back; without waiting for the disk."""
        with psycopg.connect(self.url("owner")) as conn:
            conn.execute("set role jobplane_engine; set synchronous_commit = off")
            cursor = conn.execute(statement.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []

    def own(self, *statements: str) -> None:
        """As the owner, each statement by itself."""
        with psycopg.connect(self.url("owner"), autocommit=True) as conn:
            for statement in statements:
                conn.execute(statement.encode())

    def cpu_seconds(self) -> float:
        """CPU time that the server processes of this database have used so far."""
        with psycopg.connect(self.server.url("jobplane_owner")) as conn:
            pids = conn.execute(PIDS, [self.name]).fetchall()
        return sum(cpu_seconds(pid) for (pid,) in pids)

    def settle_down(self) -> None:
        """Leave nothing to do for the background: no dead rows, fresh statistics, a checkpoint behind us."""
        tables = ", ".join(name for (name,) in self.run(TABLES))
        self.own(f"vacuum (analyze) {tables}", "set role pg_checkpoint", "checkpoint")


@dataclass
class Rig:
    """Makes each template once, and copies it for each reading."""

    server: EmbeddedServer
    _templates: set[str] = field(default_factory=set[str])
    _numbers: count[int] = field(default_factory=count)

    def template(self, name: str, prepare: Callable[[Database], None], *, of: str | None = None) -> str:
        """The name of a template that `prepare` has filled; made at the first call."""
        if name not in self._templates:
            self._create(name, of)
            database = Database(self.server, name)
            prepare(database)
            database.settle_down()
            self._templates.add(name)
        return name

    def forget(self, name: str) -> None:
        """Give a large template's disk space back."""
        if name in self._templates:
            self._templates.discard(name)
            self._drop(name)

    @contextmanager
    def fresh(self, template: str) -> Generator[Database]:
        name = f"reading_{next(self._numbers)}"
        self._create(name, template)
        try:
            yield Database(self.server, name)
        finally:
            self._drop(name)

    def _create(self, name: str, template: str | None) -> None:
        with psycopg.connect(self.server.url("jobplane_owner"), autocommit=True) as conn:
            [(size,)] = conn.execute("select pg_database_size(%s)", [template or "template1"]).fetchall()
            strategy = sql.SQL("file_copy" if size > LARGE_BYTES else "wal_log")
            names = sql.Identifier(name), sql.Identifier(template or "template1")
            conn.execute(sql.SQL("create database {} template {} strategy {}").format(*names, strategy))
        if (
            template is None
        ):  # up to PostgreSQL 15 a role that inherits nothing may not create tables in its own database
            Database(self.server, name).own(
                "set role pg_database_owner", "grant create on schema public to jobplane_owner"
            )

    def _drop(self, name: str) -> None:
        with psycopg.connect(self.server.url("jobplane_owner"), autocommit=True) as conn:
            conn.execute("set role pg_signal_backend")
            conn.execute(TERMINATE, [name])
            conn.execute("reset role")
            conn.execute(sql.SQL("drop database if exists {}").format(sql.Identifier(name)))


def migrated(database: Database) -> None:
    migrate.up(database.url("owner"))


@contextmanager
def running() -> Generator[Rig]:
    """A server in a directory of its own, gone with all its data at the end; PG_BIN names other programs."""
    bin_dir = os.environ.get("PG_BIN")
    directory = Path(tempfile.mkdtemp(prefix="jobplane-bench-"))
    directory.chmod(0o755)
    try:
        with EmbeddedServer(
            directory / "data",
            bin_dir=Path(bin_dir) if bin_dir else None,
            bootstrap_sql=source.load().roles + RIGHTS,
            settings=SETTINGS,
        ) as server:
            yield Rig(server)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
