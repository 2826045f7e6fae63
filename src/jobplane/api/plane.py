"""What the blocking and the asynchronous verbs of a Jobplane share."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final, TypedDict
from uuid import UUID
from weakref import WeakSet

from jobplane.api.artifacts import Artifacts
from jobplane.api.definition import CodeDefinition
from jobplane.api.desk import inherited
from jobplane.api.handles import AnyJob, JobCall, JobHandle
from jobplane.api.hooks import Hooks
from jobplane.api.options import OptionFields, Options, Tenant
from jobplane.api.registry import Registry
from jobplane.api.running.handler import Handler
from jobplane.api.stores import Driver, Stores
from jobplane.core.errors import DefinitionNotFound, Invalid, InvalidPayload, StoreBusy
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, Definition, Document, Job, JobFilter, JobStatus
from jobplane.core.payload import encode
from jobplane.core.schema import Judge, stored_judge
from jobplane.store.base import BlockingStore, Store

_SCHEMA_SECONDS: Final = 10.0
# A process that runs handlers finds them here: modules are named on its command line, and may hold a Jobplane anywhere.
planes: Final[WeakSet[Plane]] = WeakSet()


class Where(TypedDict, total=False):
    """Which jobs to list; what is left out is any."""

    statuses: Sequence[JobStatus]
    definitions: Sequence[str]
    queues: Sequence[str]
    correlation_id: str
    source: str
    worker_id: str
    tags: Sequence[str]
    metadata: Document
    created_after: datetime
    created_before: datetime


class Plane:
    """The state of a Jobplane: its definitions, its stores, and what it has learnt from the database."""

    def __init__(
        self,
        url: str | None = None,
        *,
        tenant: Tenant = "default",
        sqlite: Driver = "apsw",
        app: str = "",
        version: str = "",
        store: BlockingStore | None = None,
        async_store: Store | None = None,
    ) -> None:
        self.app = app
        self.version = version
        self._tenant = tenant
        self._stores = Stores(url, sqlite, store, async_store)
        self._registry = Registry()
        self.hooks = Hooks()
        planes.add(self)
        self._queues: set[str] = set()
        self._forget()

    def close(self) -> None:
        """Give the connections of the blocking verbs back; the next use opens them again."""
        self._stores.close()
        self._forget()

    async def aclose(self) -> None:
        """Give the connections of this event loop back; the next use opens them again."""
        await self._stores.aclose()
        self._forget()

    @contextmanager
    def moved_to(self, stores: Stores) -> Generator[None]:
        """On other stores until the block ends: how a test takes a program's own Jobplane to a database of its own."""
        own, self._stores = self._stores, stores
        self._forget()
        try:
            yield
        finally:
            self._stores = own
            self._forget()

    def _forget(self) -> None:
        """What was learnt from the database; the next one may be another, where the configuration names it."""
        self._synced = 0
        self._tenant_ids: dict[str, UUID] = {"default": DEFAULT_TENANT, "system": SYSTEM_TENANT}
        self._judges: dict[str, tuple[float, Judge | None]] = {}

    @property
    def _unsynced(self) -> bool:
        return self._synced != self._registry.version

    def _is_ready(self, conn: object) -> bool:
        """Whether nothing has to be brought into the database first; raises if that would wait for the caller."""
        if not self._unsynced or not self._stores.has_one_owner:
            return True
        if conn is not None and self._stores.has_one_writer and is_in_transaction(conn):
            raise kept_out()
        return False

    def _tenant_of(self, tenant: Tenant | None) -> Tenant:
        """The tenant that is named, else that of the running job, else this Jobplane's."""
        if tenant is not None:
            return tenant
        job = inherited()
        return job.tenant_id if job is not None and job.plane is self else self._tenant

    def _known_tenant(self, tenant: object) -> UUID | None:
        """Its id, if no database has to be asked for it."""
        if isinstance(tenant, UUID):
            return tenant
        if not isinstance(tenant, str):
            raise Invalid(f"a tenant is named by its slug or its UUID, not by {type(tenant).__name__}")
        if tenant not in self._tenant_ids and len(tenant) == 36:
            return _uuid(tenant)
        return self._tenant_ids.get(tenant)

    def _job(self, job: AnyJob, tenant: Tenant | None) -> tuple[UUID, Tenant]:
        if isinstance(job, JobHandle | Job):
            return job.id, job.tenant_id
        found = job if isinstance(job, UUID) else _uuid(job)
        if found is None:
            raise Invalid("a job is named by its handle or its UUID")
        return found, self._tenant_of(tenant)

    def _named(self, definition: str, payload: Document, options: OptionFields, stored: Judge | None) -> JobCall:
        """A call of a definition by its key; the code's schema judges, else the stored one."""
        code = self._registry.get(definition)
        known = stored if code is None else code.signature.judge
        try:
            encode(payload)
            if known is not None:
                known.check(payload)
        except InvalidPayload as error:
            return JobCall(definition, {}, Options(**options), error)
        return JobCall(definition, payload, Options(**options))

    def _fresh_judge(self, definition: str) -> tuple[bool, Judge | None]:
        """Whether the stored schema has to be asked for, and the judge where it need not."""
        if self._registry.get(definition) is not None:
            return False, None
        until, known = self._judges.get(definition, (0.0, None))
        return time.monotonic() >= until, known

    def _learn_judge(self, definition: str, found: Sequence[Definition]) -> Judge | None:
        known = stored_judge(found[0]) if found else None
        if found:
            self._judges[definition] = (time.monotonic() + _SCHEMA_SECONDS, known)
        return known

    @property
    def needs_loop(self) -> bool:
        """Whether a handler or a hook is an `async def`."""
        return self.hooks.needs_loop or any(self.definition(key).is_async for key in self.keys)

    @property
    def url(self) -> str | None:
        """The URL that it was given; None: that of the configuration."""
        return self._stores.url

    @property
    def artifacts(self) -> Artifacts | None:
        """Where results go that are too large for a store."""
        directory = self._stores.artifacts_dir
        return None if directory is None else Artifacts(directory)

    def handler(self, key: str) -> Handler:
        """A definition of this program inside its middlewares; raises DefinitionNotFound."""
        return Handler(self.definition(key), self, self.hooks)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of this program's definitions."""
        return self._registry.keys

    def definition(self, key: str) -> CodeDefinition:
        """A definition of this program; raises DefinitionNotFound."""
        found = self._registry.get(key)
        if found is None:
            raise DefinitionNotFound(f"this program has no definition {key!r}", key=key)
        return found

    def _serves(self, queues: Sequence[str] | None) -> list[str]:
        """The queues to run jobs from: those named, else those of the definitions and of what was enqueued here."""
        if isinstance(queues, str):
            raise Invalid("queues is a list of names, not one name")
        return sorted(self._registry.queues | self._queues) if queues is None else list(queues)


def is_in_transaction(conn: object) -> bool:
    """What `sqlite3` says with an attribute, SQLAlchemy with a method."""
    found = getattr(conn, "in_transaction", False)
    return bool(found() if callable(found) else found)


def kept_out() -> StoreBusy:
    return StoreBusy("your transaction keeps this program's definitions out; call jp.sync() once before it begins")


def filter_of(where: Where) -> JobFilter:
    """One text where many belong would be taken for its letters."""
    for name in ("statuses", "definitions", "queues", "tags"):
        if isinstance(where.get(name), str):
            raise Invalid(f"{name} is a list, not one text")
    return JobFilter(**where)


def _uuid(text: object) -> UUID | None:
    try:
        return UUID(text) if isinstance(text, str) else None
    except ValueError:
        return None
