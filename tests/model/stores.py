"""Each store that is held to the specification, for one history after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import pytest

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests import memory
from tests.client import BlockingPostgresStore, BlockingSqliteStore, BlockingStore
from tests.clock import Clock, FileClock, clocked
from tests.conformance.backend import Audit, PostgresAudit, SqliteAudit
from tests.database import Cluster, Database
from tests.model.comparison import Hands
from tests.model.mutants import POSTGRES, SQLITE
from tests.model.slips import Slip, slip_in_postgres, slip_in_sqlite
from tests.model.stage import Opening
from tests.model.world import World
from tests.rewinding import Rewinder

ROLES: Final[tuple[Role, ...]] = ("app", "worker", "scheduler", "admin", "maintenance")
NAMES: Final = ("postgresql", "sqlite")


class Connected(NamedTuple):
    """A store that is empty, with its clock and a look behind its verbs."""

    store: BlockingStore
    clock: Hands
    audit: Audit


Connecting = Callable[[], AbstractContextManager[Connected]]


@contextmanager
def opened(name: str, cluster: Cluster, mistake: str | None = None) -> Generator[Opening]:
    """Opens the store of this name for one history after the other, each time empty but for the cast.

    With a mistake in it, if one is named.
    """
    mistakes = POSTGRES if name == "postgresql" else SQLITE
    with connected(name, cluster, mistakes[mistake] if mistake else ()) as connect:

        @contextmanager
        def fresh() -> Generator[World]:
            with connect() as found:
                world = World(*found)
                world.furnish()
                yield world

        yield fresh


@contextmanager
def connected(name: str, cluster: Cluster, slips: Sequence[Slip]) -> Generator[Connecting]:
    """Opens the store of this name, with these mistakes in it, for one history after the other."""
    with pytest.MonkeyPatch.context() as patch:
        if name == "postgresql":
            with closing(_Postgres(cluster, slips)) as kept:
                yield kept.connect
        else:
            slip_in_sqlite(patch, slips)
            yield sqlite


class _Postgres:
    """One copy of the template, and a store on it that stays open."""

    def __init__(self, cluster: Cluster, slips: Sequence[Slip]) -> None:
        self._cluster = cluster
        self._slips = slips
        self._stack = ExitStack()
        self._kept: tuple[Database, BlockingPostgresStore, Rewinder] | None = None

    @contextmanager
    def connect(self) -> Generator[Connected]:
        database, store, rewinder = self._kept = self._kept or self._make()
        try:
            yield Connected(store, Clock.take_over(database), PostgresAudit(database))
        finally:
            if not rewinder.rewind():
                self.close()

    def _make(self) -> tuple[Database, BlockingPostgresStore, Rewinder]:
        database = self._stack.enter_context(self._cluster.fresh(clocked(self._cluster)))
        slip_in_postgres(database, self._slips)
        urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
        pooler = "transaction" if database.cluster.host else "none"
        store = BlockingPostgresStore(Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True))
        return database, self._stack.enter_context(store), Rewinder(database)

    def close(self) -> None:
        self._kept = None
        self._stack.close()


@contextmanager
def sqlite() -> Generator[Connected]:
    """SQLite, on a file of its own, in memory: nobody here asks what a disk does."""
    with TemporaryDirectory(dir=memory.directory()) as directory:
        path = Path(directory) / "jobs.db"
        clock = FileClock(path.with_name("clock")).take_over()
        with BlockingSqliteStore(path, clock=clock.microseconds, dice=clock.throw) as store:
            yield Connected(store, clock, SqliteAudit(path))
