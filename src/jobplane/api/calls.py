"""The calls of a program, each written once: on a blocking store they never wait, on an event loop they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Unpack
from uuid import UUID

from jobplane.api.batch import Batch, explain, handle_of
from jobplane.api.handles import AnyJob, JobCall, JobHandle, Row
from jobplane.api.options import OptionFields, Tenant, seconds_of
from jobplane.api.program import Program, Where, filter_of, sync_refusal
from jobplane.api.stores import Stores
from jobplane.control.access import PLATFORM, PROGRAM, Caller
from jobplane.control.answers import refusal
from jobplane.control.immediate import block
from jobplane.control.plane import OperatorPlane, TenantPlane
from jobplane.control.spelling import Spelling
from jobplane.control.waiting import Sleep
from jobplane.core.defaults import Limit
from jobplane.core.definitions import SyncedDefinition
from jobplane.core.errors import Forbidden, JobplaneError, StoreBusy, UnknownQueue
from jobplane.core.explanation import Explanation
from jobplane.core.judging import PayloadJudge
from jobplane.core.logs import Findings, LogLevel, LogLine
from jobplane.core.model import (
    Attempt,
    Definition,
    Document,
    Job,
    Json,
    Key,
    Moved,
    NewJob,
    Queue,
    Summary,
    Worker,
)
from jobplane.core.model import Tenant as TenantRecord
from jobplane.core.paging import Count
from jobplane.core.problems import Problem
from jobplane.execution.artifacts import digest_of, resolve
from jobplane.execution.running import actor_for, current
from jobplane.store.base import Store
from jobplane.store.verbs.api_keys import OVERLAP_SECONDS
from jobplane.store.verbs.jobs import Enqueue, FindTenant
from jobplane.store.verbs.operator import ListDefinitions


@dataclass(frozen=True, slots=True)
class Door:
    """The store that calls use, and the ways to wait and to use the caller's own connection."""

    store: Callable[[Stores], Awaitable[Store]]
    sleep: Sleep
    lend: Callable[[object], Any]
    in_thread: Callable[..., Awaitable[Any]]


def _lend(conn: object) -> Any:
    from jobplane.api.transactions import lend

    return lend(conn)


def _lend_async(conn: object) -> Any:
    from jobplane.api.transactions import lend_async

    return lend_async(conn)


async def _call_here(function: Callable[..., Any], *args: object) -> Any:
    return function(*args)


BLOCKING: Final = Door(Stores.get_immediate, block, _lend, _call_here)
AWAITED: Final = Door(Stores.get_running, asyncio.sleep, _lend_async, asyncio.to_thread)


class Calls:
    """The calls of a program. The default tenant is that of the running job, else the Jobplane's own."""

    def __init__(self, program: Program, door: Door) -> None:
        self._program = program
        self._door = door

    async def enqueue(
        self, definition: str, payload: Document | None = None, **options: Unpack[OptionFields]
    ) -> JobHandle:
        """Enqueue by key, for callers without the function; judged by the definition's schema."""
        judge = await self._judge(definition)
        return await self.enqueue_call(self._program.call(definition, payload or {}, options, judge))

    async def enqueue_call(self, call: JobCall) -> JobHandle:
        """Enqueue what `.call(…)` made."""
        if call.fault is not None:
            raise call.fault
        program = self._program
        options = call.options.inherit(program.owner)
        job = options.new_job(call.key, call.payload)
        try:
            store = await self._prepare_store(options.conn)
            tenant_id = await self._tenant_id(store, program.tenant if options.tenant is None else options.tenant)
            lent = None if options.conn is None else self._door.lend(options.conn)
            actor = None if current.get() is None else actor_for(program.owner)
            [answer] = await store.run(Enqueue(tenant_id, [job]), conn=lent, actor=actor)
        except Forbidden as error:
            raise explain(error) from None
        if job.queue is not None and not answer.refused:
            program.used_queues.add(job.queue)
        if answer.refused:
            raise await self._explain(self._spelling(store), refusal(answer, call.key), job)
        return handle_of(answer, tenant_id, call.key)

    def _spelling(self, store: Store) -> Spelling:
        """It uses a connection of its own, also for a job on the caller's: an error there would end a transaction."""
        return Spelling(store, self._program.registry.keys)

    async def _explain(self, spelling: Spelling, error: JobplaneError, job: NewJob) -> JobplaneError:
        """The error of a refused job, with the nearest definition or queue if there is none of its name."""
        if isinstance(error, UnknownQueue):
            return await spelling.explain(error, job.queue)
        return error if job.definition in self._program.registry.keys else await spelling.explain(error, job.definition)

    async def enqueue_many(self, calls: Iterable[JobCall], *, conn: object = None) -> Sequence[Row]:
        """One row for each call, in order; a refused one does not sink the others."""
        program = self._program
        batch = Batch(program.owner, calls, program.tenant_of(None), conn)
        if not batch.tenants:
            return batch.rows
        store, lent = await self._prepare_store(batch.conn), self._lend(batch.conn)
        for tenant in batch.tenants:
            try:
                tenant_id = await self._tenant_id(store, tenant)
            except JobplaneError as error:
                batch.refuse(batch.tenants[tenant], error)
            else:
                await self._enqueue_for(TenantPlane(store, tenant_id, self._caller()), batch, tenant, lent)
        program.used_queues |= batch.queues
        await self._explain_rows(store, batch)
        return batch.rows

    async def _explain_rows(self, store: Store, batch: Batch) -> None:
        spelling = self._spelling(store)
        for number, job, error in batch.refused:
            explained = await self._explain(spelling, error, job)
            if explained is not error:
                batch.refuse([number], explained)

    async def _enqueue_for(self, plane: TenantPlane, batch: Batch, tenant: Tenant, lent: object) -> None:
        for portion in batch.portions(tenant):
            try:
                answers = await plane.jobs.enqueue([*portion.values()], conn=lent)
            except JobplaneError as error:
                if lent is not None:  # the caller's transaction has failed with it
                    raise
                batch.refuse(portion, error)
            else:
                batch.answer(portion, plane.tenant, answers)

    async def get(self, job: AnyJob, *, tenant: Tenant | None = None, conn: object = None) -> Job:
        """A job as it is now; raises JobNotFound, also where it is another tenant's."""
        plane, job_id = await self._find_plane(job, tenant, conn)
        return await plane.jobs.get(job_id, conn=self._lend(conn))

    async def list(
        self, *, tenant: Tenant | None = None, page_size: int = 100, **where: Unpack[Where]
    ) -> AsyncIterator[Job]:
        """Jobs, the newest first; a page is fetched when it is needed."""
        plane = await self.plane(tenant)
        async for job in plane.jobs.walk(filter_of(where), page_size=page_size):
            yield job

    async def count(self, *, tenant: Tenant | None = None, **where: Unpack[Where]) -> Count:
        """How many jobs `list` would show, up to 10,000; where it `is_capped`, there may be more."""
        return await (await self.plane(tenant)).jobs.count(filter_of(where))

    async def cancel(
        self, job: AnyJob, *, reason: str | None = None, tenant: Tenant | None = None, conn: object = None
    ) -> Moved:
        """End a waiting job at once, ask a running one to stop; one that has ended stays as it is."""
        plane, job_id = await self._find_plane(job, tenant, conn)
        return await plane.jobs.cancel(job_id, reason=reason, conn=self._lend(conn))

    async def retry(
        self, job: AnyJob, *, max_attempts: int | None = None, tenant: Tenant | None = None, conn: object = None
    ) -> Moved:
        """Give a job that has failed, died or been canceled a fresh budget."""
        plane, job_id = await self._find_plane(job, tenant, conn)
        return await plane.jobs.retry(job_id, max_attempts=max_attempts, conn=self._lend(conn))

    async def reschedule(
        self,
        job: AnyJob,
        *,
        at: datetime | None = None,
        delay: float | timedelta | None = None,
        tenant: Tenant | None = None,
    ) -> Moved:
        """Set another time for a waiting job: a point in time, or a delay by the database's clock."""
        plane, job_id = await self._find_plane(job, tenant)
        return await plane.jobs.reschedule(job_id, at=at, delay_seconds=seconds_of(delay))

    async def edit(self, job: AnyJob, changes: Document, *, tenant: Tenant | None = None) -> Moved:
        """Change a waiting job: `payload`, `priority`, `tags`, `metadata`, …"""
        plane, job_id = await self._find_plane(job, tenant)
        return await plane.jobs.edit(job_id, changes)

    async def run_again(
        self, job: AnyJob, *, payload: Document | None = None, tenant: Tenant | None = None
    ) -> JobHandle:
        """Make a new job from one that has ended, with its payload or another. `source_ref` names the old job."""
        plane, job_id = await self._find_plane(job, tenant)
        old, answer = await plane.jobs.run_again(job_id, payload=payload)
        return handle_of(answer, plane.tenant, old.definition_key)

    async def attempts(self, job: AnyJob, *, tenant: Tenant | None = None) -> AsyncIterator[Attempt]:
        """The attempts of a job, the newest first, the running one included."""
        plane, job_id = await self._find_plane(job, tenant)
        async for attempt in plane.jobs.walk_attempts(job_id):
            yield attempt

    async def result(self, job: AnyJob, *, tenant: Tenant | None = None) -> Json:
        """The handler's return value, None while there is none; from `artifacts_dir` where it was too large."""
        plane, job_id = await self._find_plane(job, tenant)
        result = await plane.jobs.result(job_id)
        if digest_of(result) is None:
            return result
        return await self._door.in_thread(resolve, result, self._program.stores.artifacts_dir)

    async def summary(self, *, tenant: Tenant | None = None) -> Summary:
        """How many jobs are in each status, counted up to 10,000 each, and the age of the oldest due one."""
        return await (await self.plane(tenant)).jobs.summary()

    async def explain(self, job: AnyJob, *, tenant: Tenant | None = None) -> Explanation:
        """Why a job waits, with every gate of the claim; or where it runs, or how it ended."""
        plane, job_id = await self._find_plane(job, tenant)
        return await plane.jobs.explain(job_id)

    async def problems(self, *, tenant: Tenant | None = None) -> Sequence[Problem]:
        """What keeps jobs of the tenant from running, or makes them fail; the most severe first."""
        return await (await self.plane(tenant)).problems.list()

    async def all_problems(self) -> Sequence[Problem]:
        """The same of all tenants, and what is wrong with the installation; an operator's call."""
        return await (await self._operator()).problems.list()

    async def logs(
        self, job: AnyJob, *, follow: bool = False, attempt: int | None = None, tenant: Tenant | None = None
    ) -> AsyncIterator[LogLine]:
        """The log of a job in order, of all attempts or of one; with `follow`, until the job has ended."""
        plane, job_id = await self._find_plane(job, tenant)
        async for line in plane.logs.read(job_id, follow=follow, attempt=attempt, sleep=self._door.sleep):
            yield line

    async def search_logs(
        self,
        text: str,
        *,
        definitions: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        level: LogLevel | None = None,
        job: AnyJob | None = None,
        limit: int = 100,
        tenant: Tenant | None = None,
    ) -> Findings:
        """Lines with all words of the text, those of the newest jobs first; `scanned_all` says if that is all.

        From `since` on, and before `until`. `level` is the lowest that is wanted.
        """
        plane, job_id = (await self.plane(tenant), None) if job is None else await self._find_plane(job, tenant)
        return await plane.logs.search(
            text, definitions=definitions, since=since, until=until, level=level, job=job_id, limit=limit
        )

    async def wait(self, job: AnyJob, *, timeout: float | None = None, tenant: Tenant | None = None) -> Job:  # noqa: ASYNC109
        """The job once it has ended, however it ended; raises TimeoutError."""
        plane, job_id = await self._find_plane(job, tenant)
        return await plane.jobs.wait(job_id, timeout=timeout, sleep=self._door.sleep)

    async def sync(self, *, force: bool = False, dry_run: bool = False) -> Sequence[SyncedDefinition]:
        """Bring this program's definitions, and the queues that they name, into the database.

        What people have set stays, unless it is forced. The definitions are all that the app has: its others are
        switched off. A dry run writes nothing.
        """
        return await self._sync(force=force, dry_run=dry_run)

    async def _sync(
        self, *, force: bool = False, dry_run: bool = False, whole: bool = True
    ) -> Sequence[SyncedDefinition]:
        program = self._program
        version = program.registry.version
        if not version:  # nothing is defined, as when nothing was imported: that switches nothing off
            return []
        definitions = (await self._operator()).definitions
        report = await definitions.sync(
            program.app, program.version, program.registry.documents(), force=force, dry_run=dry_run, whole=whole
        )
        if not dry_run:
            program.synced = version
        return report

    async def create_tenant(
        self,
        slug: str,
        *,
        name: str = "",
        timezone: str = "UTC",
        weight: int = 1,
        max_in_flight: Limit = "default",
        max_pending: Limit = "default",
    ) -> TenantRecord:
        """Make a tenant; an operator's call. A limit is a number, None for no limit, or that of the settings."""
        tenants = (await self._operator()).tenants
        return await tenants.create(
            slug, name=name, timezone=timezone, weight=weight, max_in_flight=max_in_flight, max_pending=max_pending
        )

    async def get_tenant(self, tenant: Tenant) -> TenantRecord:
        """One tenant; an operator's call. Raises TenantNotFound."""
        return await (await self._operator()).tenants.get(tenant)

    async def tenants(self) -> AsyncIterator[TenantRecord]:
        """All tenants in the order of their slugs; an operator's call."""
        async for tenant in (await self._operator()).tenants.walk():
            yield tenant

    async def change_tenant(self, tenant: Tenant, changes: Document) -> TenantRecord:
        """Change slug, name, timezone, weight or limits; None takes a limit away. An operator's call."""
        return await (await self._operator()).tenants.change(await self._id_of(tenant), changes)

    async def pause_tenant(self, tenant: Tenant, *, reason: str | None = None) -> None:
        """Start none of its jobs from now on; an operator's call."""
        await (await self._operator()).tenants.pause(await self._id_of(tenant), reason=reason)

    async def resume_tenant(self, tenant: Tenant) -> None:
        """Start its jobs again; an operator's call."""
        await (await self._operator()).tenants.resume(await self._id_of(tenant))

    async def put_queues(self, queues: Sequence[str | Document]) -> Sequence[str]:
        """Make or change queues, each given as a document or by its name alone; the names that were new."""
        return await (await self._operator()).queues.put(queues)

    async def delete_queues(self, names: Sequence[str]) -> Sequence[str]:
        """Delete queues that nothing uses; the names of those that were there. An operator's call."""
        return await (await self._operator()).queues.delete(names)

    async def queues(self) -> Sequence[Queue]:
        """Queues by name, with what waits and runs in each; an operator's call."""
        return [queue async for queue in (await self._operator()).queues.walk()]

    async def pause_queue(self, name: str, *, reason: str | None = None) -> None:
        """Hand out none of its jobs from now on; an operator's call."""
        await (await self._operator()).queues.pause(name, reason=reason)

    async def resume_queue(self, name: str) -> None:
        """Hand out its jobs again; an operator's call."""
        await (await self._operator()).queues.resume(name)

    async def workers(self, *, limit: int = 100) -> Sequence[Worker]:
        """Workers, the latest seen first."""
        return (await (await self._operator()).workers.list(limit=limit)).items

    async def create_key(
        self,
        role: str,
        name: str = "",
        *,
        tenant: Tenant | None = None,
        owner_user_id: str | None = None,
        expires_at: datetime | None = None,
    ) -> tuple[Key, str]:
        """Make an API key; also the key itself, which is shown only here. An operator's call.

        Keys with the roles super_admin and worker have no tenant. For the others the default is this Jobplane's own.
        """
        named = tenant if tenant is not None or role in PLATFORM else self._program.tenant_of(None)
        whose = None if named is None else await self._id_of(named)
        keys = (await self._operator()).keys
        return await keys.create(role, name, tenant=whose, owner_user_id=owner_user_id, expires_at=expires_at)

    async def api_keys(self, *, tenant: Tenant | None = None) -> AsyncIterator[Key]:
        """API keys in the order of their ids, of all tenants or of one; an operator's call."""
        whose = None if tenant is None else await self._id_of(tenant)
        async for key in (await self._operator()).keys.walk(tenant=whose):
            yield key

    async def revoke_key(self, key_id: str) -> None:
        """End an API key for good; servers refuse it within five seconds. An operator's call. Raises KeyNotFound."""
        await (await self._operator()).keys.revoke(key_id)

    async def rotate_key(self, key_id: str, *, overlap: float | timedelta = OVERLAP_SECONDS) -> tuple[Key, str]:
        """Make a successor with the same rights; also the new key itself, which is shown only here.

        The old key works until the overlap is over. An operator's call. Raises KeyNotFound.
        """
        seconds = round(seconds_of(overlap) or 0)
        return await (await self._operator()).keys.rotate(key_id, overlap_seconds=seconds)

    async def put_definitions(self, documents: Sequence[Document]) -> Sequence[Definition]:
        """Make or change definitions by hand; a value that a document does not name stays."""
        return await (await self._operator()).definitions.put(documents)

    async def create_definition(self, document: Document) -> Definition:
        """Make a definition by hand; raises AlreadyExists. An operator's call."""
        return await (await self._operator()).definitions.create(document)

    async def get_definition(self, definition: UUID | str) -> Definition:
        """A definition as it is stored, by key or id; raises DefinitionNotFound."""
        return await (await self._operator()).definitions.get(definition)

    async def definitions(self, *, include_system: bool = False) -> AsyncIterator[Definition]:
        """All stored definitions in the order of their keys, without those that were deleted."""
        async for definition in (await self._operator()).definitions.walk(include_system=include_system):
            yield definition

    async def change_definition(
        self, definition: UUID | str, changes: Document, *, revision: int | None = None
    ) -> Definition:
        """Change a definition by hand, by a JSON merge patch. A sync leaves these values alone.

        Raises RevisionMismatch where it has another revision than the one given. An operator's call.
        """
        return await (await self._operator()).definitions.change(definition, changes, revision=revision)

    async def enable_definition(self, definition: UUID | str) -> Definition:
        """Take jobs of a definition again, and start those that wait; an operator's call."""
        return await (await self._operator()).definitions.enable(definition)

    async def disable_definition(self, definition: UUID | str) -> Definition:
        """Refuse new jobs of a definition, and start none; an operator's call."""
        return await (await self._operator()).definitions.disable(definition)

    async def delete_definition(self, definition: UUID | str, *, revision: int | None = None) -> Definition:
        """Delete a definition; its jobs stay. Creating or syncing the same key brings it back. An operator's call."""
        return await (await self._operator()).definitions.delete(definition, revision=revision)

    @property
    def tenant(self) -> Tenant:
        """The tenant of this program, by slug or id."""
        return self._program.tenant

    async def open_store(self) -> Store:
        """The store itself, opened at the first use."""
        return await self._door.store(self._program.stores)

    async def synced_store(self) -> Store:
        """The store, with this program's definitions in it. It may have imported only some modules of its app."""
        if not self._program.is_synced:
            await self._sync(whole=False)
        return await self._door.store(self._program.stores)

    async def _prepare_store(self, conn: object = None) -> Store:
        """The store, with this program's definitions in it where one owner holds the database."""
        program = self._program
        try:
            if program.synced == program.registry.version or program.is_ready(conn):
                return await self._door.store(program.stores)
            return await self.synced_store()
        except StoreBusy as error:
            raise error if conn is None else sync_refusal() from None

    def _caller(self) -> Caller:
        """The running job if a handler calls, else this program."""
        actor = actor_for(self._program.owner)
        return PROGRAM if actor is None else replace(PROGRAM, actor=actor)

    async def _operator(self) -> OperatorPlane:
        return OperatorPlane(
            await self._door.store(self._program.stores), self._caller(), defaults=self._program.stores.defaults
        )

    async def plane(self, tenant: Tenant | None) -> TenantPlane:
        """The use cases of a tenant."""
        store = await self._prepare_store()
        return TenantPlane(store, await self._tenant_id(store, self._program.tenant_of(tenant)), self._caller())

    async def _find_plane(self, job: AnyJob, tenant: Tenant | None, conn: object = None) -> tuple[TenantPlane, UUID]:
        store = await self._prepare_store(conn)
        job_id, named = self._program.job(job, tenant)
        return TenantPlane(store, await self._tenant_id(store, named), self._caller()), job_id

    async def _id_of(self, tenant: Tenant) -> UUID:
        return await self._tenant_id(await self._door.store(self._program.stores), tenant)

    async def _tenant_id(self, store: Store, tenant: Tenant) -> UUID:
        ids = self._program.tenant_ids
        known = ids.get(tenant) if isinstance(tenant, str) else None
        if known is None and (known := self._program.known_tenant(tenant)) is None:
            known = ids[str(tenant)] = await store.run(FindTenant(str(tenant)))
        return known

    async def _judge(self, definition: str) -> PayloadJudge | None:
        is_asked, known = self._program.fresh_judge(definition)
        if not is_asked:
            return known
        found = (await (await self._prepare_store()).run(ListDefinitions([definition]))).items
        return self._program.learn_judge(definition, found)

    def _lend(self, conn: object) -> Any:
        return None if conn is None else self._door.lend(conn)
