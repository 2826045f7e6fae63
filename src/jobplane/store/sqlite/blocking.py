"""The SQLite store: every verb in one transaction on one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar
from uuid import UUID

from jobplane.core.lines import Findings, LogLevel, LogLine, NewLogLine
from jobplane.core.model import (
    Attempt,
    Claimed,
    Definition,
    Document,
    DueChores,
    Enqueued,
    HeldSnapshot,
    Job,
    JobFilter,
    Json,
    Lease,
    Moved,
    NewJob,
    NewWorker,
    Page,
    Queue,
    Renewed,
    Settled,
    Settlement,
    Summary,
    Tenant,
    Worker,
)
from jobplane.core.schema import checked
from jobplane.store.base import Conn
from jobplane.store.sqlite import moment, schema
from jobplane.store.sqlite.drivers import Driver
from jobplane.store.sqlite.errors import translated
from jobplane.store.sqlite.file import SqliteFile
from jobplane.store.sqlite.lent import all_or_nothing, require_file, require_sqlite
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs import claim as claim_
from jobplane.store.sqlite.verbs import definitions as definitions_
from jobplane.store.sqlite.verbs import edit as edit_
from jobplane.store.sqlite.verbs import enqueue as enqueue_
from jobplane.store.sqlite.verbs import lists, logs, moves, read, upkeep, words
from jobplane.store.sqlite.verbs import queues as queues_
from jobplane.store.sqlite.verbs import renew as renew_
from jobplane.store.sqlite.verbs import settle as settle_
from jobplane.store.sqlite.verbs import tenants as tenants_

Answer = TypeVar("Answer")
Verb = Callable[[Conn, Moment], Answer]


class BlockingSqliteStore:
    """Safe to share between threads, and between processes that open it each for themselves; never across a fork.

    `path` may be `:memory:`: a private file in shared memory, gone with the close. `busy_seconds` bounds how long a
    call waits for another process. `clock` (microseconds UTC) and `dice` are for tests.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        driver: Driver = "apsw",
        busy_seconds: float = 10.0,
        clock: Callable[[], int] = moment.clock,
        dice: Callable[[], float] = moment.dice,
    ) -> None:
        self._file = SqliteFile(path, driver, busy_seconds)
        self._driver: Driver = driver
        self._clock = clock
        self._dice = dice

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._file.path

    def close(self) -> None:
        """Give the file back; the store opens again at its next use."""
        self._file.close()

    def check(self) -> None:
        """Open the file now, and bring it to this program's schema."""
        self._file.write(lambda _: None)

    def backup(self, target: Path) -> None:
        """A consistent copy, made while others write, into a file that is not there yet."""
        self._file.backup(target)

    def _write(self, verb: Verb[Answer]) -> Answer:
        """The clock is read when the file is ours: nobody else's call can come between."""
        return self._file.write(lambda db: verb(db, Moment(self._clock(), self._dice)))

    def _read(self, verb: Verb[Answer]) -> Answer:
        return self._file.read(lambda db: verb(db, Moment(self._clock(), self._dice)))

    def _lent(self, conn: Conn, verb: Verb[Answer]) -> Answer:
        """Inside the caller's transaction, which may be the first that this file sees of us."""
        require_sqlite(conn, self._driver)
        with translated(self.path):
            require_file(conn, self.path)
            with all_or_nothing(conn):
                schema.ensure(conn)
                return verb(conn, Moment(self._clock(), self._dice))

    def enqueue(self, tenant: UUID, jobs: Sequence[NewJob], *, conn: Conn | None = None) -> list[Enqueued]:
        def verb(db: Conn, now: Moment) -> list[Enqueued]:
            return enqueue_.enqueue(db, now, tenant, jobs)

        return self._write(verb) if conn is None else self._lent(conn, verb)

    def cancel(
        self, tenant: UUID, ids: Sequence[UUID], *, reason: str | None = None, conn: Conn | None = None
    ) -> list[Moved]:
        def verb(db: Conn, now: Moment) -> list[Moved]:
            return moves.cancel(db, now, tenant, ids, reason)

        return self._write(verb) if conn is None else self._lent(conn, verb)

    def retry(
        self, tenant: UUID, ids: Sequence[UUID], *, max_attempts: int | None = None, conn: Conn | None = None
    ) -> list[Moved]:
        def verb(db: Conn, now: Moment) -> list[Moved]:
            return moves.retry(db, now, tenant, ids, max_attempts)

        return self._write(verb) if conn is None else self._lent(conn, verb)

    def reschedule(
        self, tenant: UUID, ids: Sequence[UUID], *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> list[Moved]:
        return self._write(lambda db, now: moves.reschedule(db, now, tenant, ids, at, delay_seconds))

    def edit(self, tenant: UUID, job_id: UUID, changes: Document) -> Moved:
        return self._write(lambda db, _: edit_.edit(db, tenant, job_id, changes))

    def get_jobs(self, tenant: UUID, ids: Sequence[UUID], *, conn: Conn | None = None) -> list[Job]:
        def verb(db: Conn, _: Moment) -> list[Job]:
            return read.get_jobs(db, tenant, ids)

        return self._read(verb) if conn is None else self._lent(conn, verb)

    def list_jobs(
        self, tenant: UUID, where: JobFilter | None = None, *, limit: int = 50, cursor: int | None = None
    ) -> Page:
        return self._read(lambda db, _: lists.list_jobs(db, tenant, where or JobFilter(), limit, cursor))

    def attempts(self, tenant: UUID, job_id: UUID, *, limit: int = 100, before: int | None = None) -> list[Attempt]:
        return self._read(lambda db, _: read.attempts(db, tenant, job_id, limit, before))

    def result(self, tenant: UUID, job_id: UUID) -> Json:
        return self._read(lambda db, _: read.result(db, tenant, job_id))

    def summary(self, tenant: UUID) -> Summary:
        return self._read(lambda db, now: read.summary(db, now, tenant))

    def read_logs(
        self, tenant: UUID, job_id: UUID, *, after: tuple[int, int] = (0, 0), limit: int = 1000, follow: bool = False
    ) -> list[LogLine]:
        lines, unaware = self._read(lambda db, now: logs.read_logs(db, now, tenant, job_id, after, limit))
        if follow and unaware is not None:
            self._write(lambda db, now: logs.follow(db, now, unaware))
        return lines

    def search_logs(
        self,
        tenant: UUID,
        text: str,
        *,
        definitions: Sequence[str] | None = None,
        since: datetime | None = None,
        level: LogLevel | None = None,
        job: UUID | None = None,
        limit: int = 100,
    ) -> Findings:
        return self._read(lambda db, _: words.search_logs(db, tenant, text, definitions, since, level, job, limit))

    def claim(self, queue: str, worker_id: str, *, limit: int = 1, lease_seconds: int = 30) -> Claimed:
        return self._write(lambda db, now: claim_.claim(db, now, queue, worker_id, limit, lease_seconds))

    def renew(
        self,
        leases: Sequence[Lease],
        *,
        lease_seconds: int = 30,
        progress: Sequence[float | None] | None = None,
        messages: Sequence[str | None] | None = None,
    ) -> list[Renewed]:
        return self._write(lambda db, now: renew_.renew(db, now, leases, lease_seconds, progress, messages))

    def settle(self, outcomes: Sequence[Settlement], *, max_interruptions: int = 20) -> list[Settled]:
        return self._write(lambda db, now: settle_.settle(db, now, outcomes, max_interruptions))

    def release(self, leases: Sequence[Lease], *, reason: str = "shutdown", after: float = 0) -> list[Settled]:
        return self._write(lambda db, now: settle_.release(db, now, leases, reason, after))

    def log_lines(self, lines: Sequence[NewLogLine]) -> list[int]:
        return self._write(lambda db, _: logs.log_lines(db, lines))

    def due_chores(self, chores: Sequence[str], *, by: str | None = None) -> DueChores:
        """Nobody takes turns: a look at a file is cheap. It waits for the file like a write, and writes nothing."""
        return self._write(lambda db, now: upkeep.due_chores(db, now, chores))

    def promote(self, *, limit: int = 1000) -> int:
        return self._write(lambda db, now: upkeep.promote(db, now, limit))

    def reap(self, *, limit: int = 500) -> int:
        return self._write(lambda db, now: upkeep.reap(db, now, limit))

    def expire(self, *, limit: int = 1000) -> int:
        return self._write(lambda db, now: upkeep.expire(db, now, limit))

    def sweep(self, *, limit: int = 1000) -> int:
        return self._write(lambda db, now: upkeep.sweep(db, now, limit))

    def tick(self, *, full: bool = True) -> int:
        """Nothing to move: SQLite leaves no dead rows in an index, so a claim needs no low mark."""
        return 0

    def wake_idle(self) -> int:
        """Nobody to tell: workers of a file poll."""
        return 0

    def tidy(self) -> int:
        return self._write(upkeep.tidy)

    def held_snapshots(self) -> list[HeldSnapshot]:
        """None by name: a long reader shows in the size of the write-ahead log, which the file warns of."""
        return []

    def prune_logs(self, *, retention_days: int = 7) -> int:
        return self._write(lambda db, now: logs.prune_logs(db, now, retention_days))

    def vacuum(self) -> None:
        self._file.checkpoint()

    def register_worker(self, worker: NewWorker) -> None:
        return self._write(lambda db, now: queues_.register_worker(db, now, worker))

    def see_worker(self, worker_id: str, *, running_count: int = 0) -> bool:
        return self._write(lambda db, now: queues_.see_worker(db, now, worker_id, running_count))

    def deregister_worker(self, worker_id: str) -> bool:
        return self._write(lambda db, _: queues_.deregister_worker(db, worker_id))

    def workers(self, *, limit: int = 100) -> list[Worker]:
        return self._read(lambda db, now: queues_.workers(db, now, limit))

    def want_work(self, queues: Sequence[str], *, seconds: int = 5) -> dict[str, int]:
        return self._read(lambda db, _: queues_.want_work(db, queues, seconds))

    def create_tenant(
        self,
        slug: str,
        *,
        name: str = "",
        weight: int = 1,
        max_in_flight: int | None = None,
        max_pending: int | None = None,
        tenant_id: UUID | None = None,
    ) -> Tenant:
        return self._write(
            lambda db, now: tenants_.create_tenant(db, now, slug, name, weight, max_in_flight, max_pending, tenant_id)
        )

    def set_tenant(self, tenant: UUID, changes: Document) -> Tenant:
        return self._write(lambda db, now: tenants_.set_tenant(db, now, tenant, changes))

    def pause_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return self._write(lambda db, now: tenants_.pause_tenants(db, now, tenants))

    def resume_tenants(self, tenants: Sequence[UUID]) -> list[UUID]:
        return self._write(lambda db, now: tenants_.resume_tenants(db, now, tenants))

    def tenants(self, *, limit: int = 100, after: str = "") -> list[Tenant]:
        return self._read(lambda db, _: tenants_.tenants(db, limit, after))

    def get_tenant(self, tenant: UUID | str) -> Tenant:
        return self._read(lambda db, _: tenants_.get_tenant(db, tenant))

    def tenant_id(self, slug: str) -> UUID:
        return self._read(lambda db, _: tenants_.tenant_id(db, slug))

    def put_definitions(self, definitions: Sequence[Document]) -> list[Definition]:
        documents = [checked(definition) for definition in definitions]  # before the file is locked
        return self._write(lambda db, now: definitions_.put_definitions(db, now, documents))

    def definitions(self, keys: Sequence[str] | None = None, *, limit: int = 100, after: str = "") -> list[Definition]:
        return self._read(lambda db, _: definitions_.definitions_named(db, keys, limit, after))

    def put_queues(self, names: Sequence[str]) -> list[str]:
        return self._write(lambda db, now: queues_.put_queues(db, now, names))

    def pause_queues(self, names: Sequence[str]) -> list[str]:
        return self._write(lambda db, now: queues_.pause_queues(db, now, names))

    def resume_queues(self, names: Sequence[str]) -> list[str]:
        return self._write(lambda db, _: queues_.resume_queues(db, names))

    def queues(self) -> list[Queue]:
        return self._read(lambda db, _: queues_.queues(db))
