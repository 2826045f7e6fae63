"""Where the jobs of a test lie: a database of PostgreSQL or a SQLite file, and how it is read at the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, get_args
from uuid import UUID

from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore, BlockingSqliteStore, BlockingStore
from tests.conformance.backend import Audit, PostgresAudit, SqliteAudit
from tests.database import Database
from tests.faults.history import StoredAttempt, StoredFire, StoredJob, StoredLine
from tests.faults.proxy import Proxy

ALICE: Final[UUID] = DEFAULT_TENANT
Rows = list[tuple[Any, ...]]


class Found(NamedTuple):
    """What a database holds at the end of a test."""

    jobs: list[StoredJob]
    attempts: list[StoredAttempt]
    lines: list[StoredLine]
    fires: list[StoredFire]
    triggers: set[str]


# `{p}` is the prefix of the tables, `{at}` turns an instant into seconds.
_JOBS: Final = """
select j.seq, cast(j.id as text), cast(j.payload as text),
       coalesce(e.status, case when l.seq is null then 'queued' else 'running' end), j.max_attempts,
       {created_at}, {scheduled_for}, {finished_at}, j.dedupe_key, j.definition_key,
       cast(j.trigger_id as text), {planned_at}
  from {p}jobs j left join {p}endings e on e.seq = j.seq left join {p}leases l on l.seq = j.seq
"""
_ATTEMPTS: Final = """
select a.seq, a.attempt_no, cast(a.token as text), cast(a.outcome as text), cast(a.led_to as text),
       {started_at}, {finished_at}, a.reason, a.worker_id
  from {p}attempts a
"""
_FIRES: Final = "select cast(f.trigger_id as text), {planned_at}, f.outcome, cast(f.job_id as text) from {p}fires f"
_TRIGGERS: Final = "select cast(t.trigger_id as text) from {p}triggers t"
_LINES: Final = """
select l.seq, l.attempt_no, l.line, l.message, {at}, cast(l.fields ->> 'lines_dropped' as integer) from {p}logs l
"""


class Place(Protocol):
    store: BlockingStore
    audit: Audit

    def environment(self, proxy: Proxy | None = None) -> dict[str, str]:
        """What a worker has to be told."""
        ...

    def peek(self, statement: str) -> Rows:
        """Look behind the verbs."""
        ...

    def first_expiry(self) -> float:
        """When the first of the leases ends, in seconds since 1970."""
        ...

    def final(self) -> Found: ...

    def close(self) -> None: ...


class PostgresPlace:
    """A database of the run's server, or of one of the test's own."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.audit: Audit = PostgresAudit(db)
        urls: dict[Role, str] = {role: db.url(role) for role in get_args(Role)}
        self._store = BlockingPostgresStore(Settings(urls=urls, allow_unsafe_durability=True))
        self.store: BlockingStore = self._store

    def environment(self, proxy: Proxy | None = None) -> dict[str, str]:
        """With a proxy, the worker reaches its server through that alone."""
        through = f"postgresql://jobplane_worker@127.0.0.1:{proxy.port}/{self._db.name}" if proxy else None
        return {
            "JOBPLANE_DATABASE_URL": through or self._db.url("worker"),
            "JOBPLANE_DATABASE_URL_APP": self._db.url("app"),
            "JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true",
        }

    def peek(self, statement: str) -> Rows:
        return self._db.peek(statement)

    def first_expiry(self) -> float:
        return self.peek("select extract(epoch from min(expires_at))::float8 from jobplane.leases")[0][0]

    def final(self) -> Found:
        return _read(self, "jobplane.", "extract(epoch from {})::float8")

    def close(self) -> None:
        self._store.close()


class SqlitePlace:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._audit = SqliteAudit(path)
        self.audit: Audit = self._audit
        self._store = BlockingSqliteStore(path)
        self.store: BlockingStore = self._store

    def environment(self, proxy: Proxy | None = None) -> dict[str, str]:
        return {"JOBPLANE_DATABASE_URL": f"sqlite:///{self.path}"}

    def peek(self, statement: str) -> Rows:
        return self._audit.peek(statement.replace("jobplane.", "jobplane_"))

    def first_expiry(self) -> float:
        return self.peek("select min(expires_at) / 1e6 from jobplane.leases")[0][0]

    def final(self) -> Found:
        return _read(self, "jobplane_", "{} / 1e6")

    def close(self) -> None:
        self._store.close()


def _read(place: Place, prefix: str, seconds: str) -> Found:
    def ask(statement: str, **columns: str) -> Rows:
        return place.peek(statement.format(p=prefix, **{name: seconds.format(it) for name, it in columns.items()}))

    rows = ask(
        _JOBS,
        created_at="j.created_at",
        scheduled_for="j.scheduled_for",
        finished_at="e.finished_at",
        planned_at="j.planned_at",
    )
    ids: dict[int, str] = {row[0]: row[1] for row in rows}
    tries = ask(_ATTEMPTS, started_at="a.started_at", finished_at="a.finished_at")
    lines = [StoredLine(ids[seq], *rest) for seq, *rest in ask(_LINES, at="l.at")]
    fires = [
        StoredFire(trigger=trigger, planned_at=planned_at, outcome=outcome, job=job)
        for trigger, planned_at, outcome, job in ask(_FIRES, planned_at="f.planned_at")
    ]
    triggers = {trigger for (trigger,) in ask(_TRIGGERS)}
    return Found([_job(row) for row in rows], [_attempt(ids, row) for row in tries], lines, fires, triggers)


def _job(row: tuple[Any, ...]) -> StoredJob:
    _, job, payload, status, max_attempts, created_at, scheduled_for, finished_at, dedupe_key, definition, *planned = (
        row
    )
    return StoredJob(
        id=job,
        mark=json.loads(payload).get("mark"),
        status=status,
        max_attempts=max_attempts,
        created_at=created_at,
        scheduled_for=scheduled_for,
        finished_at=finished_at,
        dedupe_key=dedupe_key,
        lasting=definition == "lasting",
        trigger=planned[0],
        planned_at=planned[1],
    )


def _attempt(ids: dict[int, str], row: tuple[Any, ...]) -> StoredAttempt:
    seq, attempt_no, token, outcome, led_to, started_at, finished_at, reason, worker = row
    return StoredAttempt(
        job=ids[seq],
        attempt_no=attempt_no,
        token=token,
        outcome=outcome,
        led_to=led_to,
        started_at=started_at,
        finished_at=finished_at,
        reason=reason,
        worker=worker,
    )
