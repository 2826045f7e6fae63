"""One server for a test session, and a database for each test."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg

from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres.source import PACKAGED

PG_BIN = os.environ.get("JOBPLANE_TEST_PG_BIN")
# A DBA without superuser rights, as on managed servers, who can become one for the sake of a test.
DBA = """
create role jobplane_dba login createrole createdb;
create role jobplane_root superuser nologin;
grant jobplane_root to jobplane_dba;
create role jobplane_bypass login bypassrls;
create role jobplane_stranger login;
"""
_numbers = count(1)


@dataclass(frozen=True)
class Database:
    server: EmbeddedServer
    name: str

    def url(self, role: str = "owner") -> str:
        return self.server.url(f"jobplane_{role}", self.name)

    @contextmanager
    def connect(self, role: str = "owner") -> Generator[psycopg.Connection[tuple[object, ...]]]:
        with psycopg.connect(self.url(role), autocommit=True) as conn:
            yield conn

    def value(self, query: str, role: str = "owner") -> object:
        """The one value that the query returns."""
        with self.connect(role) as conn:
            [[found]] = conn.execute(query.encode()).fetchall()
        return found

    def values(self, query: str, role: str = "owner") -> list[object]:
        with self.connect(role) as conn:
            return [row[0] for row in conn.execute(query.encode())]


@contextmanager
def running(directory: Path, *, roles: bool) -> Generator[EmbeddedServer]:
    """A server that forgets, with jobplane's roles or only with a DBA who can make them."""
    bootstrap = f"{(PACKAGED / 'roles.sql').read_text()}\n{DBA}" if roles else DBA
    owner = "jobplane_owner" if roles else "jobplane_dba"
    bin_dir = Path(PG_BIN) if PG_BIN else None
    with EmbeddedServer(
        directory, bin_dir=bin_dir, bootstrap_sql=bootstrap, owner=owner, settings={"fsync": "off"}
    ) as server:
        yield server


def new_database(server: EmbeddedServer, owner: str = "owner") -> Database:
    name = f"fresh_{next(_numbers)}"
    with Database(server, "jobplane").connect(owner) as conn:
        conn.execute(f"create database {name}".encode())
    return Database(server, name)
