"""A program's jobs on one database: its definitions, its stores, and what it has learnt from the database."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypedDict
from uuid import UUID

from jobplane.api.handles import AnyJob, JobCall, JobHandle
from jobplane.api.options import NO_OPTIONS, OptionFields, Tenant
from jobplane.api.registry import Registry
from jobplane.api.stores import Stores
from jobplane.core.errors import Invalid, InvalidPayload, StoreBusy
from jobplane.core.judging import PayloadJudge, payload_judge
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, Definition, Document, Job, JobFilter, JobStatus
from jobplane.core.payload import encode
from jobplane.execution.running import find_inherited

_SCHEMA_SECONDS: Final = 10.0


class Where(TypedDict, total=False):
    """Which jobs to list; a filter that is left out matches any job."""

    statuses: Sequence[JobStatus]
    definitions: Sequence[str]
    queues: Sequence[str]
    correlation_id: str
    source: str
    source_ref: str
    worker_id: str
    tags: Sequence[str]
    metadata: Document
    created_after: datetime
    created_before: datetime
    text: str
    triggered_by: str
    trigger_id: UUID


class Program:
    """Shared by the blocking and the asynchronous calls of one Jobplane."""

    def __init__(self, stores: Stores, tenant: Tenant, owner: object, app: str = "", version: str = "") -> None:
        self.stores = stores
        self.app = app
        self.version = version
        self.registry = Registry()
        self.tenant = tenant
        self.used_queues: set[str] = set()  # named by jobs that were accepted
        self.owner = owner  # the Jobplane, as running jobs know it
        self.forget()

    def forget(self) -> None:
        """Drop what was learnt from the database: the next one may be another, where the configuration names it."""
        self.synced = 0
        self.tenant_ids: dict[str, UUID] = {"default": DEFAULT_TENANT, "system": SYSTEM_TENANT}
        self._judges: dict[str, tuple[float, PayloadJudge | None]] = {}

    @property
    def is_synced(self) -> bool:
        return self.synced == self.registry.version

    def is_ready(self, conn: object) -> bool:
        """Whether all definitions are stored. Raises StoreBusy if the caller's transaction would block storing them."""
        if not self.stores.has_one_owner or self.is_synced:
            return True
        if conn is not None and self.stores.has_one_writer and is_in_transaction(conn):
            raise sync_refusal()
        return False

    def tenant_of(self, tenant: Tenant | None) -> Tenant:
        """The tenant that is named, else that of the running job, else this program's."""
        if tenant is not None:
            return tenant
        job = find_inherited()
        return job.tenant_id if job is not None and job.plane is self.owner else self.tenant

    def known_tenant(self, tenant: object) -> UUID | None:
        """The tenant's id, if no database has to be asked for it."""
        if isinstance(tenant, UUID):
            return tenant
        if not isinstance(tenant, str):
            raise Invalid(f"Name a tenant by its slug or its UUID, not by {type(tenant).__name__}.")
        if tenant not in self.tenant_ids and len(tenant) == 36:
            return _uuid(tenant)
        return self.tenant_ids.get(tenant)

    def job(self, job: AnyJob, tenant: Tenant | None) -> tuple[UUID, Tenant]:
        """The id of a job and its tenant."""
        if isinstance(job, JobHandle | Job):
            return job.id, job.tenant_id
        found = job if isinstance(job, UUID) else _uuid(job)
        if found is None:
            raise Invalid("Name a job by its handle or its UUID.")
        return found, self.tenant_of(tenant)

    def call(self, definition: str, payload: Document, options: OptionFields, stored: PayloadJudge | None) -> JobCall:
        """A call of a definition by its key; the code's schema judges, else the stored one."""
        code = self.registry.get(definition)
        known = stored if code is None else code.signature.judge
        asked = NO_OPTIONS.replace(**options)
        try:
            encode(payload)
            if known is not None:
                known.check(payload)
        except InvalidPayload as error:
            return JobCall(definition, {}, asked, error)
        return JobCall(definition, payload, asked)

    def fresh_judge(self, definition: str) -> tuple[bool, PayloadJudge | None]:
        """Whether the stored schema has to be read; if not, its judge."""
        if self.registry.get(definition) is not None:
            return False, None
        until, known = self._judges.get(definition, (0.0, None))
        return time.monotonic() >= until, known

    def learn_judge(self, definition: str, found: Sequence[Definition]) -> PayloadJudge | None:
        known = payload_judge(found[0]) if found else None
        if found:
            self._judges[definition] = (time.monotonic() + _SCHEMA_SECONDS, known)
        return known

    def find_queues(self, queues: Sequence[str] | None) -> list[str]:
        """The queues to run jobs from: those named, else those of the definitions and of what was enqueued here."""
        if isinstance(queues, str):
            raise Invalid("The queues must be a list of names, not one name.")
        return sorted(self.registry.queues | self.used_queues) if queues is None else list(queues)


def is_in_transaction(conn: object) -> bool:
    """Whether a transaction is open. `sqlite3` has an attribute for it, SQLAlchemy a method."""
    found = getattr(conn, "in_transaction", False)
    return bool(found() if callable(found) else found)


def sync_refusal() -> StoreBusy:
    return StoreBusy(
        "Cannot register job definitions while your SQLite transaction holds the write lock."
        " Call jp.sync() before you begin it."
    )


def filter_of(where: Where) -> JobFilter:
    """Reject a bare string: it would be iterated character by character."""
    for name in ("statuses", "definitions", "queues", "tags"):
        if isinstance(where.get(name), str):
            raise Invalid(f"The {name} must be a list, not one string.")
    return JobFilter(**where)


def _uuid(text: object) -> UUID | None:
    try:
        return UUID(text) if isinstance(text, str) else None
    except ValueError:
        return None
