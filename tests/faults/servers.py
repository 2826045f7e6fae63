"""A PostgreSQL of a test's own, to be stopped and crashed."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

from jobplane.embedded import EmbeddedServer
from jobplane.embedded.processes import find_process
from jobplane.store.postgres import migrate, source
from tests.database import SETTINGS, Cluster, Database
from tests.faults.waiting import PATIENCE, until

# The server dies here, the machine does not: what is written has to survive the one and not the other.
_SETTINGS: Final = {**SETTINGS, "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "100"}
Connection = psycopg.Connection[tuple[Any, ...]]
_ROLES: Final = "\ngrant pg_signal_backend to jobplane_owner;\n"


@dataclass(frozen=True)
class OwnServer:
    server: EmbeddedServer
    database: Database

    def stop(self) -> None:
        """As an administrator does: open connections are ended."""
        self.server.stop()

    def crash(self) -> None:
        """As by a fault: no checkpoint, recovery at the next start."""
        pid = int((self.server.data_dir / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGQUIT)
        until(lambda: find_process(pid) is None, PATIENCE, "the end of the server")
        self.server.stop()

    def start(self) -> None:
        self.server.start()

    def admin(self) -> Connection:
        """A connection for the next two."""
        return self.database.cluster.admin()

    @staticmethod
    def connections(admin: Connection) -> int:
        """How many the workers have."""
        counted = "select count(*) from pg_stat_activity where usename = 'jobplane_worker'"
        return admin.execute(counted).fetchall()[0][0]

    @staticmethod
    def end_backends(admin: Connection) -> int:
        """End every connection of a worker; how many."""
        ended = "select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'jobplane_worker'"
        with admin.transaction():
            admin.execute("set local role pg_signal_backend")
            return admin.execute(ended).fetchall()[0][0]


@contextmanager
def own_server(directory: Path) -> Generator[OwnServer]:
    chosen = os.environ.get("JOBPLANE_TEST_PG_BIN")
    bootstrap = source.load().roles + _ROLES
    with EmbeddedServer(
        directory, bin_dir=Path(chosen) if chosen else None, bootstrap_sql=bootstrap, settings=_SETTINGS
    ) as server:
        migrate.up(server.url("jobplane_owner"))
        with Database(Cluster(server, "", ""), "jobplane") as database:
            yield OwnServer(server, database)
