"""The blocking verbs of a Jobplane."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Unpack, overload
from uuid import UUID

from jobplane.api.artifacts import resolved
from jobplane.api.batch import Batch, accepted, single
from jobplane.api.handles import AnyJob, JobCall, JobHandle, Row
from jobplane.api.logs import Reading
from jobplane.api.options import OptionFields, Tenant
from jobplane.api.pauses import PASSING, Outage, pauses, too_long
from jobplane.api.plane import Plane, Where, filter_of, kept_out
from jobplane.control.answers import moved
from jobplane.core.errors import Invalid, JobNotFound, JobplaneError, StoreBusy
from jobplane.core.lifecycle import ENDED
from jobplane.core.lines import Findings, LogLevel, LogLine
from jobplane.core.model import Definition, Document, Job, Json, Moved
from jobplane.core.model import Tenant as TenantRecord
from jobplane.core.schema import Judge
from jobplane.store.base import BlockingStore, Conn
from jobplane.store.verbs.engine import PutDefinitions, PutQueues
from jobplane.store.verbs.jobs import (
    Cancel,
    Enqueue,
    FindTenant,
    GetJobs,
    GetResult,
    ListJobs,
    ReadLogs,
    Retry,
    SearchLogs,
)
from jobplane.store.verbs.operator import CreateTenant, ListDefinitions

if TYPE_CHECKING:
    from builtins import list as list_


class Verbs(Plane):
    """Each verb has a twin that ends in `_async`."""

    def enqueue(self, definition: str, payload: Document | None = None, **options: Unpack[OptionFields]) -> JobHandle:
        """Enqueue by key, for callers without the function; judged by the definition's schema."""
        return self.enqueue_call(
            self._named(definition, {} if payload is None else payload, options, self._judge(definition))
        )

    def enqueue_call(self, call: JobCall) -> JobHandle:
        """Enqueue what `.call(…)` made."""
        return single(self._enqueue(Batch(self, [call], self._tenant_of(None))))

    @overload
    def enqueue_many(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: Literal[True]
    ) -> list_[JobHandle]: ...

    @overload
    def enqueue_many(self, calls: Iterable[JobCall], *, conn: object = None) -> list_[Row]: ...

    def enqueue_many(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: bool = False
    ) -> Sequence[Row]:
        """One row for each call, in order; a refused one does not sink the others."""
        rows = self._enqueue(Batch(self, calls, self._tenant_of(None), conn))
        return accepted(rows) if raise_refused else rows

    def get(self, job: AnyJob, *, tenant: Tenant | None = None, conn: object = None) -> Job:
        """A job as it is now; raises JobNotFound, also where it is another tenant's."""
        store, job_id, tenant_id = self._find(job, tenant, conn)
        for found in store.run(GetJobs(tenant_id, [job_id]), conn=_lent(conn)):
            return found
        raise JobNotFound(f"there is no job {job_id} of this tenant", job_id=job_id)

    def list(self, *, tenant: Tenant | None = None, page_size: int = 100, **where: Unpack[Where]) -> Iterator[Job]:
        """Jobs, the newest first; a page is fetched when it is needed."""
        store = self._ready()
        tenant_id, cursor = self._tenant_id(store, self._tenant_of(tenant)), None
        while True:
            page = store.run(ListJobs(tenant_id, filter_of(where), limit=page_size, cursor=cursor))
            yield from page.jobs
            cursor = page.next_cursor
            if cursor is None:
                return

    def cancel(
        self, job: AnyJob, *, reason: str | None = None, tenant: Tenant | None = None, conn: object = None
    ) -> Moved:
        """End a waiting job at once, ask a running one to stop; one that has ended stays as it is."""
        store, job_id, tenant_id = self._find(job, tenant, conn)
        return moved(store.run(Cancel(tenant_id, [job_id], reason=reason), conn=_lent(conn))[0])

    def retry(
        self, job: AnyJob, *, max_attempts: int | None = None, tenant: Tenant | None = None, conn: object = None
    ) -> Moved:
        """Give a job that has failed, died or been canceled a fresh budget."""
        store, job_id, tenant_id = self._find(job, tenant, conn)
        return moved(store.run(Retry(tenant_id, [job_id], max_attempts=max_attempts), conn=_lent(conn))[0])

    def result(self, job: AnyJob, *, tenant: Tenant | None = None) -> Json:
        """What the handler returned, None while there is nothing; from `artifacts_dir` where it was too large."""
        store, job_id, tenant_id = self._find(job, tenant)
        return resolved(store.run(GetResult(tenant_id, job_id)), self._stores.artifacts_dir)

    def logs(
        self, job: AnyJob, *, follow: bool = False, attempt: int | None = None, tenant: Tenant | None = None
    ) -> Iterator[LogLine]:
        """What a job has written, in order, of all attempts or of one; `follow`: and goes on until it has ended."""
        reading = Reading(attempt, follow)
        store, job_id, tenant_id = self._find(job, tenant)
        while not reading.is_over:
            try:
                yield from reading.take(store.run(ReadLogs(tenant_id, job_id, after=reading.after, follow=follow)))
                pause = reading.look(store.run(GetJobs(tenant_id, [job_id]))) if reading.looks else 0
            except PASSING as error:
                pause = reading.bear(error)
            time.sleep(pause)

    def search_logs(
        self,
        text: str,
        *,
        definitions: Sequence[str] | None = None,
        since: datetime | None = None,
        level: LogLevel | None = None,
        job: AnyJob | None = None,
        limit: int = 100,
        tenant: Tenant | None = None,
    ) -> Findings:
        """Lines with all words of the text, those of the newest jobs first; `scanned_all` says if that is all.

        `level` is the lowest that is wanted.
        """
        if isinstance(definitions, str):
            raise Invalid("definitions is a list, not one text")
        store = self._ready()
        job_id, named = (None, self._tenant_of(tenant)) if job is None else self._job(job, tenant)
        tenant_id = self._tenant_id(store, named)
        return store.run(
            SearchLogs(tenant_id, text, definitions=definitions, since=since, level=level, job=job_id, limit=limit)
        )

    def wait(self, job: AnyJob, *, timeout: float | None = None, tenant: Tenant | None = None) -> Job:
        """The job once it has ended, however it ended; raises TimeoutError."""
        outage = Outage()
        for pause in pauses(timeout):
            try:
                found = self.get(job, tenant=tenant)
            except PASSING as error:
                outage.bear(error)
            else:
                outage.is_over()
                if found.status in ENDED:
                    return found
            time.sleep(pause)
        raise outage.error or too_long(job, timeout)

    def sync(self) -> Sequence[Definition]:
        """Bring this program's definitions, and the queues that they name, into the database."""
        version = self._registry.version
        store = self._stores.blocking()
        store.run(PutQueues(sorted(self._registry.queues)))
        keys = store.run(PutDefinitions(self._registry.documents())) if version else []
        self._synced = version
        return store.run(ListDefinitions(keys, 1000)) if keys else []

    def create_tenant(self, slug: str, *, name: str = "") -> TenantRecord:
        """A new tenant; the operator's verb."""
        return self._stores.blocking().run(CreateTenant(slug, name=name))

    def run_once(self, *, queues: Sequence[str] | None = None, limit: int = 100) -> int:
        """Run what is due here and now, up to `limit` jobs one after another; how many ran."""
        from jobplane.api.running.inline import Inline

        with Inline(self, self._synced_store(), self._serves(queues)) as inline:
            return inline.round(limit)

    def drain(self, *, queues: Sequence[str] | None = None) -> int:
        """Run until nothing is due any more, what the handlers enqueue included; how many ran."""
        from jobplane.api.running.inline import Inline

        total = 0
        with Inline(self, self._synced_store(), self._serves(queues)) as inline:
            while ran := inline.round():
                total += ran
        return total

    def _ready(self, conn: object = None) -> BlockingStore:
        """The store, with this program's definitions in it where that is nobody else's matter."""
        try:
            return self._stores.blocking() if self._is_ready(conn) else self._synced_store()
        except StoreBusy as error:
            raise error if conn is None else kept_out() from None

    def _synced_store(self) -> BlockingStore:
        if self._unsynced:
            self.sync()
        return self._stores.blocking()

    def _enqueue(self, batch: Batch) -> list_[Row]:
        if not batch.tenants:
            return batch.rows
        store, lent = self._ready(batch.conn), _lent(batch.conn)
        for tenant in batch.tenants:
            try:
                tenant_id = self._tenant_id(store, tenant)
            except JobplaneError as error:
                batch.refuse(batch.tenants[tenant], error)
            else:
                self._enqueue_for(store, batch, tenant, tenant_id, lent)
        self._queues |= batch.queues
        return batch.rows

    def _enqueue_for(
        self, store: BlockingStore, batch: Batch, tenant: Tenant, tenant_id: UUID, lent: Conn | None
    ) -> None:
        for portion in batch.portions(tenant):
            try:
                answers = store.run(Enqueue(tenant_id, list(portion.values())), conn=lent)
            except JobplaneError as error:
                if lent is not None:  # the caller's transaction has failed with it
                    raise
                batch.refuse(portion, error)
            else:
                batch.answer(portion, tenant_id, answers)

    def _find(self, job: AnyJob, tenant: Tenant | None, conn: object = None) -> tuple[BlockingStore, UUID, UUID]:
        store = self._ready(conn)
        job_id, named = self._job(job, tenant)
        return store, job_id, self._tenant_id(store, named)

    def _tenant_id(self, store: BlockingStore, tenant: Tenant) -> UUID:
        known = self._known_tenant(tenant)
        if known is None:
            known = self._tenant_ids[str(tenant)] = store.run(FindTenant(str(tenant)))
        return known

    def _judge(self, definition: str) -> Judge | None:
        ask, known = self._fresh_judge(definition)
        return self._learn_judge(definition, self._ready().run(ListDefinitions([definition]))) if ask else known


def _lent(conn: object) -> Conn | None:
    if conn is None:
        return None
    from jobplane.api.transactions import lend

    return lend(conn)
