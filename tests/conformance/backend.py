"""What the suite knows of the backend under test: which features it has, and how to look behind the verbs."""

from __future__ import annotations

import getpass
import os
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from jobplane.store.sqlite.drivers import Driver, connect
from tests.client import PostgresStore, PostgresWorkerStore, SqliteStore, SqliteWorkerStore, Store, WorkerStore
from tests.clock import Clock, FileClock
from tests.conftest import ROLES
from tests.database import Cluster, Database
from tests.rewinding import Rewinder

# `stdlib` runs the suite on the standard library's SQLite, which may be years older than ours.
DRIVER: Final[Driver] = "stdlib" if os.environ.get("JOBPLANE_TEST_SQLITE") == "stdlib" else "apsw"

_STATES: Final = ("ready", "held", "upcoming", "leases", "endings")
_EACH_STATE: Final = " union all ".join(f"select seq, '{state}' as state from jobplane.{state}" for state in _STATES)
_FAULTS: Final = f"""
select concat('job ', coalesce(j.seq, s.seq), ' is in ', coalesce(string_agg(s.state, ' and '), 'no state'))
  from jobplane.jobs j full join ({_EACH_STATE}) s using (seq)
 group by j.seq, s.seq having count(s.seq) <> 1 or count(j.seq) <> 1
union all
select concat('limit ', limit_key, ' has used ', l.used, ' for ', n.leases, ' leases') from jobplane.limits l
  full join (select k as limit_key, count(*) as leases from jobplane.leases, unnest(limit_keys) k group by 1) n
  using (limit_key)
 where coalesce(l.used, 0) <> coalesce(n.leases, 0)
union all
select concat('the dedupe key ', d.dedupe_key, ' belongs to job ', d.seq, ', which has ended or never was')
  from jobplane.dedupe d
 where not exists (select from jobplane.jobs j join ({_EACH_STATE}) s using (seq)
                    where s.state <> 'endings' and j.seq = d.seq and j.tenant_id = d.tenant_id
                      and j.dedupe_key = d.dedupe_key)
union all
select concat('job ', j.seq, ' is active and does not hold its dedupe key')
  from jobplane.jobs j join ({_EACH_STATE}) s using (seq)
 where s.state <> 'endings' and j.dedupe_key is not null
   and not exists (select from jobplane.dedupe d where d.tenant_id = j.tenant_id and d.seq = j.seq)
union all
select concat('the idempotency key ', r.idempotency_key, ' belongs to no job') from jobplane.receipts r
 where not exists (select from jobplane.jobs j where j.seq = r.seq)
"""


class Audit(Protocol):
    """A look behind the verbs."""

    def faults(self) -> list[str]:
        """What breaks the rules that hold after every call; `one_state` is the first of them."""
        ...

    def meddle(self, statement: str) -> None:
        """Write past the verbs, as somebody with the database's own shell may; tables are named `jobplane.…`."""
        ...

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        """Read past the verbs, by the same names."""
        ...

    def unlock(self) -> None:
        """Let meddling change the tables that are append-only, as the owner of the database can."""
        ...

    def unchecked(self, table: str, column: str) -> None:
        """Drop the checks that mention a column, as the owner of the table can."""
        ...


class PostgresAudit:
    def __init__(self, database: Database) -> None:
        self._database = database

    def faults(self) -> list[str]:
        return [row[0] for row in self._database.peek(_FAULTS)]

    def meddle(self, statement: str) -> None:
        self._database.peek(statement.replace("%", "%%"))

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        return self._database.peek(statement.replace("%", "%%"))

    def unlock(self) -> None:
        self._database.own("grant update, delete on jobplane.audit_log, jobplane.audit_chain to jobplane_engine")

    def unchecked(self, table: str, column: str) -> None:
        names = self.look(
            f"select conname from pg_constraint where conrelid = 'jobplane.{table}'::regclass and contype = 'c'"
            f" and pg_get_constraintdef(oid) like '%{column}%'"
        )
        for (name,) in names:
            self._database.own(f"alter table jobplane.{table} drop constraint {name}")


# SQLite of the applications' oldest version has no full join, and one of ours has the same names with a prefix.
_EACH = _EACH_STATE.replace("jobplane.", "jobplane_")
_SQLITE_FAULTS: Final = f"""
select 'job ' || j.seq || ' is in ' || coalesce(group_concat(s.state, ' and '), 'no state')
  from jobplane_jobs j left join ({_EACH}) s on s.seq = j.seq group by j.seq having count(s.seq) <> 1
union all
select 'job ' || s.seq || ' is in ' || s.state || ' and has no facts' from ({_EACH}) s
 where s.seq not in (select seq from jobplane_jobs)
union all
select 'limit ' || k.limit_key || ' has used ' || coalesce(l.used, 0) || ' for ' || coalesce(n.leases, 0) || ' leases'
  from (select limit_key from jobplane_limits union select value from jobplane_leases, json_each(limit_keys)) k
  left join jobplane_limits l on l.limit_key = k.limit_key
  left join (select value as limit_key, count(*) as leases from jobplane_leases, json_each(limit_keys) group by 1) n
         on n.limit_key = k.limit_key
 where coalesce(l.used, 0) <> coalesce(n.leases, 0)
union all
select 'the dedupe key ' || d.dedupe_key || ' belongs to job ' || d.seq || ', which has ended or never was'
  from jobplane_dedupe d
 where not exists (select 1 from jobplane_jobs j join ({_EACH}) s on s.seq = j.seq
                    where s.state <> 'endings' and j.seq = d.seq and j.tenant_no = d.tenant_no
                      and j.dedupe_key = d.dedupe_key)
union all
select 'job ' || j.seq || ' is active and does not hold its dedupe key'
  from jobplane_jobs j join ({_EACH}) s on s.seq = j.seq
 where s.state <> 'endings' and j.dedupe_key is not null
   and not exists (select 1 from jobplane_dedupe d where d.tenant_no = j.tenant_no and d.seq = j.seq)
union all
select 'the idempotency key ' || r.idempotency_key || ' belongs to no job' from jobplane_receipts r
 where not exists (select 1 from jobplane_jobs j where j.seq = r.seq)
"""


class SqliteAudit:
    """Looks with the library that the store uses: another copy of SQLite in one process would drop its locks."""

    def __init__(self, path: Path, driver: Driver = "apsw") -> None:
        self._path = path
        self._driver: Driver = driver

    def faults(self) -> list[str]:
        return [row[0] for row in self.peek(_SQLITE_FAULTS)] if self._path.exists() else []

    def meddle(self, statement: str) -> None:
        self.peek(statement.replace("jobplane.", "jobplane_"))

    def look(self, statement: str) -> list[tuple[Any, ...]]:
        return self.peek(statement.replace("jobplane.", "jobplane_"))

    def unlock(self) -> None:
        for trigger in ("log_kept", "log_same", "chain_kept", "chain_same"):
            self.peek(f"drop trigger jobplane_audit_{trigger}")

    def unchecked(self, table: str, column: str) -> None:
        """Does nothing: no check that a test has to pass by is there."""

    def peek(self, statement: str) -> list[tuple[Any, ...]]:
        """Look (or meddle) behind the verbs."""
        conn = connect(self._driver, self._path)
        try:
            conn.rows("pragma busy_timeout = 10000")
            return conn.rows(statement)
        finally:
            conn.close()


class Backend(Protocol):
    """A store under test, its clock, and a look behind it."""

    features: frozenset[str]
    login: str  # who enqueues where no actor is named
    audit: Audit

    def clock(self) -> Clock | FileClock:
        """Take time and chance into the test's hand."""
        ...

    def open(self) -> AbstractAsyncContextManager[Store]: ...

    def open_worker_store(self) -> AbstractAsyncContextManager[WorkerStore]:
        """The same database as a worker's supervisor has it."""
        ...


class PostgresBackend:
    features = frozenset({"rls", "notify", "roles"})
    login = "jobplane_app"

    def __init__(self, db: Database) -> None:
        self._db = db
        self.audit: Audit = PostgresAudit(db)

    def clock(self) -> Clock:
        return Clock.take_over(self._db)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Store]:
        """One login for each role."""
        async with PostgresStore(self._settings()) as store:
            yield store

    @asynccontextmanager
    async def open_worker_store(self) -> AsyncGenerator[WorkerStore]:
        async with PostgresWorkerStore(self._settings()) as store:
            yield store

    def _settings(self) -> Settings:
        urls: dict[Role, str] = {role: self._db.url(role) for role in ROLES}
        pooler = "transaction" if self._db.cluster.host else "none"
        return Settings(urls=urls, pooler=pooler, allow_unsafe_durability=True)


class KeptBackend(PostgresBackend):
    """Of which the stores stay open."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._store = PostgresStore(self._settings())
        self._worker_store = PostgresWorkerStore(self._settings())

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Store]:
        yield self._store

    @asynccontextmanager
    async def open_worker_store(self) -> AsyncGenerator[WorkerStore]:
        yield self._worker_store

    async def close(self) -> None:
        await self._store.close()
        await self._worker_store.close()


class Kept:
    """One database for the tests of a module, one after the other, each of which finds it as if nobody had used it."""

    def __init__(self, cluster: Cluster, template: str) -> None:
        self._cluster = cluster
        self._template = template
        self._stack = AsyncExitStack()
        self._lent: tuple[KeptBackend, Rewinder] | None = None

    async def lend(self) -> KeptBackend:
        if self._lent is None:
            db = self._stack.enter_context(self._cluster.fresh(self._template))
            self._lent = KeptBackend(db), Rewinder(db)
            self._stack.push_async_callback(self._lent[0].close)
        return self._lent[0]

    async def take_back(self) -> None:
        """The next one gets another where what was done to it cannot be taken back."""
        if self._lent is not None and not self._lent[1].rewind():
            await self.close()

    async def close(self) -> None:
        self._lent = None
        await self._stack.aclose()


class SqliteBackend:
    features = frozenset[str]()
    login = getpass.getuser()

    def __init__(self, directory: Path) -> None:
        self._path = directory / "jobs.db"
        self._clock = FileClock(directory / "clock")
        self.audit: Audit = SqliteAudit(self._path, DRIVER)

    def clock(self) -> FileClock:
        return self._clock.take_over()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Store]:
        async with SqliteStore(
            self._path, driver=DRIVER, clock=self._clock.microseconds, dice=self._clock.throw
        ) as store:
            yield store

    @asynccontextmanager
    async def open_worker_store(self) -> AsyncGenerator[WorkerStore]:
        async with SqliteWorkerStore(
            self._path, driver=DRIVER, clock=self._clock.microseconds, dice=self._clock.throw
        ) as store:
            yield store
