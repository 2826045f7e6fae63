"""The verbs of a Jobplane for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Unpack, overload
from uuid import UUID

from jobplane.api.artifacts import digest_of, resolved
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
from jobplane.store.base import AsyncConn, Store
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


class AsyncVerbs(Plane):
    """Twins of the blocking verbs; one store for each event loop."""

    async def enqueue_async(
        self, definition: str, payload: Document | None = None, **options: Unpack[OptionFields]
    ) -> JobHandle:
        """Enqueue by key, for callers without the function; judged by the definition's schema."""
        return await self.enqueue_call_async(
            self._named(definition, {} if payload is None else payload, options, await self._judge_async(definition))
        )

    async def enqueue_call_async(self, call: JobCall) -> JobHandle:
        """Enqueue what `.call(…)` made."""
        return single(await self._enqueue_async(Batch(self, [call], self._tenant_of(None))))

    @overload
    async def enqueue_many_async(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: Literal[True]
    ) -> list_[JobHandle]: ...

    @overload
    async def enqueue_many_async(self, calls: Iterable[JobCall], *, conn: object = None) -> list_[Row]: ...

    async def enqueue_many_async(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: bool = False
    ) -> Sequence[Row]:
        """One row for each call, in order; a refused one does not sink the others."""
        rows = await self._enqueue_async(Batch(self, calls, self._tenant_of(None), conn))
        return accepted(rows) if raise_refused else rows

    async def get_async(self, job: AnyJob, *, tenant: Tenant | None = None, conn: object = None) -> Job:
        """A job as it is now; raises JobNotFound, also where it is another tenant's."""
        store, job_id, tenant_id = await self._find_async(job, tenant, conn)
        for found in await store.run(GetJobs(tenant_id, [job_id]), conn=_lent(conn)):
            return found
        raise JobNotFound(f"there is no job {job_id} of this tenant", job_id=job_id)

    async def list_async(
        self, *, tenant: Tenant | None = None, page_size: int = 100, **where: Unpack[Where]
    ) -> AsyncIterator[Job]:
        """Jobs, the newest first; a page is fetched when it is needed."""
        store = await self._ready_async()
        tenant_id, cursor = await self._tenant_id_async(store, self._tenant_of(tenant)), None
        while True:
            page = await store.run(ListJobs(tenant_id, filter_of(where), limit=page_size, cursor=cursor))
            for job in page.jobs:
                yield job
            cursor = page.next_cursor
            if cursor is None:
                return

    async def cancel_async(
        self, job: AnyJob, *, reason: str | None = None, tenant: Tenant | None = None, conn: object = None
    ) -> Moved:
        """End a waiting job at once, ask a running one to stop; one that has ended stays as it is."""
        store, job_id, tenant_id = await self._find_async(job, tenant, conn)
        return moved((await store.run(Cancel(tenant_id, [job_id], reason=reason), conn=_lent(conn)))[0])

    async def retry_async(
        self, job: AnyJob, *, max_attempts: int | None = None, tenant: Tenant | None = None, conn: object = None
    ) -> Moved:
        """Give a job that has failed, died or been canceled a fresh budget."""
        store, job_id, tenant_id = await self._find_async(job, tenant, conn)
        return moved((await store.run(Retry(tenant_id, [job_id], max_attempts=max_attempts), conn=_lent(conn)))[0])

    async def result_async(self, job: AnyJob, *, tenant: Tenant | None = None) -> Json:
        """What the handler returned, None while there is nothing; from `artifacts_dir` where it was too large."""
        store, job_id, tenant_id = await self._find_async(job, tenant)
        result = await store.run(GetResult(tenant_id, job_id))
        if digest_of(result) is None:
            return result
        return await asyncio.to_thread(resolved, result, self._stores.artifacts_dir)

    async def logs_async(
        self, job: AnyJob, *, follow: bool = False, attempt: int | None = None, tenant: Tenant | None = None
    ) -> AsyncIterator[LogLine]:
        """What a job has written, in order, of all attempts or of one; `follow`: and goes on until it has ended."""
        reading = Reading(attempt, follow)
        store, job_id, tenant_id = await self._find_async(job, tenant)
        while not reading.is_over:
            try:
                for line in reading.take(
                    await store.run(ReadLogs(tenant_id, job_id, after=reading.after, follow=follow))
                ):
                    yield line
                pause = reading.look(await store.run(GetJobs(tenant_id, [job_id]))) if reading.looks else 0
            except PASSING as error:
                pause = reading.bear(error)
            await asyncio.sleep(pause)

    async def search_logs_async(
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
        store = await self._ready_async()
        job_id, named = (None, self._tenant_of(tenant)) if job is None else self._job(job, tenant)
        tenant_id = await self._tenant_id_async(store, named)
        return await store.run(
            SearchLogs(tenant_id, text, definitions=definitions, since=since, level=level, job=job_id, limit=limit)
        )

    async def wait_async(
        self,
        job: AnyJob,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 the twin of a blocking verb takes what that takes
        tenant: Tenant | None = None,
    ) -> Job:
        """The job once it has ended, however it ended; raises TimeoutError."""
        outage = Outage()
        for pause in pauses(timeout):
            try:
                found = await self.get_async(job, tenant=tenant)
            except PASSING as error:
                outage.bear(error)
            else:
                outage.is_over()
                if found.status in ENDED:
                    return found
            await asyncio.sleep(pause)
        raise outage.error or too_long(job, timeout)

    async def sync_async(self) -> Sequence[Definition]:
        """Bring this program's definitions, and the queues that they name, into the database."""
        version = self._registry.version
        store = await self._stores.running()
        await store.run(PutQueues(sorted(self._registry.queues)))
        keys = await store.run(PutDefinitions(self._registry.documents())) if version else []
        self._synced = version
        return await store.run(ListDefinitions(keys, 1000)) if keys else []

    async def create_tenant_async(self, slug: str, *, name: str = "") -> TenantRecord:
        """A new tenant; the operator's verb."""
        store = await self._stores.running()
        return await store.run(CreateTenant(slug, name))

    async def run_once_async(self, *, queues: Sequence[str] | None = None, limit: int = 100) -> int:
        """Run what is due here and now, up to `limit` jobs one after another; how many ran."""
        from jobplane.api.running.inline_async import AsyncInline

        async with AsyncInline(self, await self._synced_store_async(), self._serves(queues)) as inline:
            return await inline.round(limit)

    async def drain_async(self, *, queues: Sequence[str] | None = None) -> int:
        """Run until nothing is due any more, what the handlers enqueue included; how many ran."""
        from jobplane.api.running.inline_async import AsyncInline

        total = 0
        async with AsyncInline(self, await self._synced_store_async(), self._serves(queues)) as inline:
            while ran := await inline.round():
                total += ran
        return total

    async def _ready_async(self, conn: object = None) -> Store:
        """The store, with this program's definitions in it where that is nobody else's matter."""
        try:
            return await (self._stores.running() if self._is_ready(conn) else self._synced_store_async())
        except StoreBusy as error:
            raise error if conn is None else kept_out() from None

    async def _synced_store_async(self) -> Store:
        if self._unsynced:
            await self.sync_async()
        return await self._stores.running()

    async def _enqueue_async(self, batch: Batch) -> list_[Row]:
        if not batch.tenants:
            return batch.rows
        store, lent = await self._ready_async(batch.conn), _lent(batch.conn)
        for tenant in batch.tenants:
            try:
                tenant_id = await self._tenant_id_async(store, tenant)
            except JobplaneError as error:
                batch.refuse(batch.tenants[tenant], error)
            else:
                await self._enqueue_for_async(store, batch, tenant, tenant_id, lent)
        self._queues |= batch.queues
        return batch.rows

    async def _enqueue_for_async(
        self, store: Store, batch: Batch, tenant: Tenant, tenant_id: UUID, lent: AsyncConn | None
    ) -> None:
        for portion in batch.portions(tenant):
            try:
                answers = await store.run(Enqueue(tenant_id, list(portion.values())), conn=lent)
            except JobplaneError as error:
                if lent is not None:  # the caller's transaction has failed with it
                    raise
                batch.refuse(portion, error)
            else:
                batch.answer(portion, tenant_id, answers)

    async def _find_async(self, job: AnyJob, tenant: Tenant | None, conn: object = None) -> tuple[Store, UUID, UUID]:
        store = await self._ready_async(conn)
        job_id, named = self._job(job, tenant)
        return store, job_id, await self._tenant_id_async(store, named)

    async def _tenant_id_async(self, store: Store, tenant: Tenant) -> UUID:
        known = self._known_tenant(tenant)
        if known is None:
            known = self._tenant_ids[str(tenant)] = await store.run(FindTenant(str(tenant)))
        return known

    async def _judge_async(self, definition: str) -> Judge | None:
        ask, known = self._fresh_judge(definition)
        return (
            self._learn_judge(definition, await (await self._ready_async()).run(ListDefinitions([definition])))
            if ask
            else known
        )


def _lent(conn: object) -> AsyncConn | None:
    if conn is None:
        return None
    from jobplane.api.transactions import lend_async

    return lend_async(conn)
