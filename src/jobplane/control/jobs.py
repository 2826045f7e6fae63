"""A tenant's jobs: what every caller may do with them, over any store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, cast
from uuid import UUID

from jobplane.control.access import Access, refuse_narrowed
from jobplane.control.answers import refusal, require_moved
from jobplane.control.catalog import Catalog
from jobplane.control.paging import walk
from jobplane.control.searching import search
from jobplane.control.stuck import Patience
from jobplane.control.waiting import PASSING, Outage, Sleep, pauses, too_long
from jobplane.core.bounds import show
from jobplane.core.errors import (
    DefinitionInactive,
    Forbidden,
    IllegalMove,
    Invalid,
    JobNotFound,
    JobplaneError,
    OutputNotFound,
    QuotaExceeded,
    UnknownDefinition,
    UnknownQueue,
)
from jobplane.core.explanation import Explanation
from jobplane.core.lifecycle import ENDED, MOVES
from jobplane.core.model import (
    Attempt,
    Definition,
    Document,
    Enqueued,
    Job,
    JobFilter,
    JobStatus,
    Json,
    Moved,
    NewJob,
    Overview,
    Summary,
)
from jobplane.core.outputs import CommandOutput
from jobplane.core.paging import Count, Page
from jobplane.core.payload import encode
from jobplane.core.redaction import restore
from jobplane.core.spelling import explain_each, suggest
from jobplane.store.verbs.jobs import (
    ANY,
    EDITABLE,
    Cancel,
    CountJobs,
    Edit,
    Enqueue,
    Explain,
    FindActivity,
    GetJobs,
    GetOutput,
    GetResult,
    ListAttempts,
    ListJobs,
    Reschedule,
    RetryJobs,
    Summarize,
)
from jobplane.store.verbs.operator import GetTenant
from jobplane.store.verbs.verb import Verb

# What a new job takes over from the one that it runs again. Its keys stay behind: they name that one request.
_KEPT: Final = ("queue", "priority", "correlation_id", "tags", "metadata", "artifact_ref", "max_attempts")


class Jobs:
    """The jobs of one tenant. `conn` runs a call in the caller's own transaction.

    `catalog` judges payloads before a store sees them; a program judges those that it enqueues itself. `schemas`
    judges those of retries and edits, whoever calls. A caller that is narrowed to one user of the application sees
    and moves that user's jobs alone.
    """

    def __init__(self, access: Access, tenant: UUID, catalog: Catalog | None, schemas: Catalog) -> None:
        self._access = access
        self._tenant = tenant
        self._catalog = catalog
        self._schemas = schemas
        self._owner = access.caller.owner_user_id

    async def enqueue(self, jobs: Sequence[NewJob], *, conn: Any = None) -> list[Enqueued]:
        """Take jobs in, one answer for each in the same order; a refused job does not sink the others."""
        return await self._access.run("enqueueJob", Enqueue(self._tenant, jobs), conn=conn)

    async def submit(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        """The same for callers from outside: each payload is judged first, and refused with its faults."""
        self._access.caller.require("enqueueJobs")
        answers = [await self._judge(job) for job in jobs]
        valid = [job for job, fault in zip(jobs, answers, strict=True) if fault is None]
        taken = iter(await self._access.run("enqueueJobs", Enqueue(self._tenant, valid)))
        return [fault or next(taken) for fault in answers]

    async def submit_one(self, job: NewJob) -> tuple[Enqueued, Job]:
        """One job, whole; raises why it is refused."""
        self._access.caller.require("enqueueJob")
        await self._admit_one(job)
        [answer] = await self.enqueue([job])
        return answer, await self._made(answer, job.definition)

    async def try_out(self, job: NewJob) -> Definition:
        """Whether a job would be taken now: the definition, its schema and the quota. Nothing is written."""
        self._access.caller.require("enqueueJob")
        definition = await self._admit_one(job)
        if definition is None or not definition.active:
            message = f"Definition {show(job.definition, 200)} is not active. Activate it, or use another."
            raise DefinitionInactive(message, definition=job.definition)
        tenant, summary = (
            await self._access.peek(GetTenant(self._tenant)),
            await self._access.peek(Summarize(self._tenant)),
        )
        if tenant.max_pending is not None and summary.queued + summary.running >= tenant.max_pending:
            message = f"The tenant has reached its max_pending of {tenant.max_pending} jobs. Try again later."
            raise QuotaExceeded(message, retry_after=5)
        return definition

    async def _judge(self, job: NewJob) -> Enqueued | None:
        try:
            await self._admit(job)
        except Invalid as error:
            return Enqueued(None, "refused", error.code, error.message)
        except Forbidden as error:
            return Enqueued(None, "refused", error.code, error.message)
        return None

    async def _admit_one(self, job: NewJob) -> Definition | None:
        """Like `_admit`, and name the nearest definition for an unknown one. That is too slow for a batch."""
        try:
            return await self._admit(job)
        except UnknownDefinition as error:
            raise await self._access.explain(error, job.definition) from None

    async def _admit(self, job: NewJob) -> Definition | None:
        """Judge a job, and mark it with the user that the caller is narrowed to."""
        if self._owner is not None:
            job.metadata = {**(job.metadata or {}), "owner_user_id": self._owner}
        encode(job.payload)
        return None if self._catalog is None else await self._catalog.judge(job.definition, job.payload)

    async def _made(self, answer: Enqueued, definition: str) -> Job:
        if answer.refused or answer.job_id is None:
            raise refusal(answer, definition)
        [found] = await self._access.peek(GetJobs(self._tenant, [answer.job_id]))
        return found

    async def get(self, job_id: UUID, *, conn: Any = None) -> Job:
        """A job as it is now; raises JobNotFound, also where it is another tenant's."""
        for found in await self._access.run("getJob", GetJobs(self._tenant, [job_id]), conn=conn):
            if self._is_own(found):
                return found
        raise JobNotFound(f"There is no job {job_id}.", job_id=job_id)

    async def list(
        self, where: JobFilter = ANY, *, limit: int = 50, cursor: int | UUID | None = None, offset: int = 0
    ) -> Page[Job, int]:
        """A page of jobs, the newest first. `cursor` is that of the former page, or the id of its last job."""
        where = self._narrow(where)
        if where.text is None:
            return await self._access.run("listJobs", ListJobs(self._tenant, where, limit, cursor, offset))
        return await search(
            lambda most, after: self._access.run("listJobs", ListJobs(self._tenant, where, most, after)),
            *(where.text, limit, cursor, offset),
        )

    async def count(self, where: JobFilter = ANY) -> Count:
        """How many jobs a list would show, up to 10,000. A text cannot be counted."""
        return await self._access.run("listJobs", CountJobs(self._tenant, self._narrow(where)))

    async def slugs(self, jobs: Sequence[Job]) -> Mapping[UUID, str]:
        """The slugs of the tenants of listed jobs, where they are of several: none here."""
        return {}

    def _narrow(self, where: JobFilter) -> JobFilter:
        """The filter within the jobs that the caller may see."""
        if self._owner is None:
            return where
        return replace(where, metadata={**(where.metadata or {}), "owner_user_id": self._owner})

    async def last_before(self, cursor: int) -> UUID | None:
        """The id of the newest job at or before the place where a list has stopped."""
        found = await self._access.run("listJobs", ListJobs(self._tenant, limit=1, cursor=cursor + 1))
        return found.items[0].id if found.items else None

    def walk(self, where: JobFilter = ANY, *, page_size: int = 100) -> AsyncIterator[Job]:
        """All jobs, the newest first; a page is fetched when it is needed."""
        return walk(lambda cursor: self.list(where, limit=page_size, cursor=cursor))

    async def require(self, job_id: UUID, *, conn: Any = None) -> None:
        """Raise JobNotFound where a narrowed caller does not see the job. The verbs look after the tenant."""
        if self._owner is not None:
            await self.get(job_id, conn=conn)

    async def cancel(self, job_id: UUID, *, reason: str | None = None, conn: Any = None) -> Moved:
        """End a waiting job at once, ask a running one to stop; a job that has ended stays as it is."""
        await self.require(job_id, conn=conn)
        return require_moved(
            (await self._access.run("cancelJob", Cancel(self._tenant, [job_id], reason), conn=conn))[0]
        )

    async def retry(self, job_id: UUID, *, max_attempts: int | None = None, conn: Any = None) -> Moved:
        """Give a job that has failed, died or been canceled a fresh budget; raises InvalidPayload.

        The definition's schema may have changed since the job was enqueued: its payload is judged again.
        """
        self._access.caller.require("retryJob")
        await self.require(job_id, conn=conn)
        for old in await self._access.peek(GetJobs(self._tenant, [job_id]), conn=conn):
            await self._judge_retry(old)
        return require_moved(
            (await self._access.run("retryJob", RetryJobs(self._tenant, [job_id], max_attempts), conn=conn))[0]
        )

    async def cancel_many(self, ids: Sequence[UUID], *, reason: str | None = None) -> list[Moved]:
        """Cancel a selection of jobs in one call: an answer for each, in the order of the ids, and no error."""
        return await self._move(ids, lambda seen: Cancel(self._tenant, seen, reason), "cancelJobs")

    async def retry_many(self, ids: Sequence[UUID], *, max_attempts: int | None = None) -> list[Moved]:
        """Retry a selection of jobs in one call: an answer for each, in the order of the ids, and no error."""
        self._access.caller.require("retryJobs")
        unfit = {job.id: Moved(job.id, "invalid_payload", job.status) for job in await self._find_unfit(ids)}
        fit = [job_id for job_id in ids if job_id not in unfit]
        moved = await self._move(fit, lambda seen: RetryJobs(self._tenant, seen, max_attempts), "retryJobs")
        answers = unfit | {each.job_id: each for each in moved}
        return [answers[job_id] for job_id in dict.fromkeys(ids)]

    async def _find_unfit(self, ids: Sequence[UUID]) -> list[Job]:
        """The jobs whose payload does not fit any more, of those that the caller sees."""
        found = await self._access.peek(GetJobs(self._tenant, ids)) if ids else []
        return [job for job in found if self._is_own(job) and await self._is_unfit(job)]

    async def _is_unfit(self, job: Job) -> bool:
        try:
            await self._judge_retry(job)
        except Invalid:
            return True
        return False

    async def _judge_retry(self, job: Job) -> None:
        """Raise InvalidPayload if a job that may be retried does not fit its definition any more.

        A job whose definition is gone is not judged: no worker claims it.
        """
        if job.status in MOVES["retry"][0] and "payload" not in job.undecodable:
            with suppress(UnknownDefinition):
                await self._schemas.check(job.definition_key, job.payload)

    async def _judge_again(self, job: NewJob) -> None:
        """Judge the payload of a job that a program runs again. A store refuses an unknown definition itself."""
        with suppress(UnknownDefinition):
            await self._schemas.check(job.definition, job.payload)

    async def _move(
        self, ids: Sequence[UUID], verb: Callable[[Sequence[UUID]], Verb[Sequence[Moved]]], operation: str
    ) -> list[Moved]:
        """Jobs that a narrowed caller does not see are not found."""
        self._access.caller.require(operation)
        asked = list(dict.fromkeys(ids))
        seen = asked if self._owner is None else await self._own(asked)
        moved = {each.job_id: each for each in await self._access.run(operation, verb(seen))} if seen else {}
        return [moved.get(job_id, Moved(job_id, "not_found", None)) for job_id in asked]

    async def _own(self, ids: Sequence[UUID]) -> list[UUID]:
        found = await self._access.peek(GetJobs(self._tenant, ids))
        return [job.id for job in found if self._is_own(job)]

    def _is_own(self, job: Job) -> bool:
        """Whether the caller sees the job, if it is narrowed to one user of the application."""
        return self._owner is None or job.metadata.get("owner_user_id") == self._owner

    async def reschedule(
        self, job_id: UUID, *, at: datetime | None = None, delay_seconds: float | None = None
    ) -> Moved:
        """Set another time for a waiting job."""
        await self.require(job_id)
        verb = Reschedule(self._tenant, [job_id], at, delay_seconds)
        return require_moved((await self._access.run("rescheduleJob", verb))[0])

    async def edit(self, job_id: UUID, changes: Document) -> Moved:
        """Change a waiting job. A payload is judged by the definition's schema; raises InvalidPayload."""
        self._access.caller.require("editJob")
        _refuse_unknown(changes)
        await self.require(job_id)
        payload = changes.get("payload")
        if isinstance(payload, Mapping):
            old = await self.get(job_id)
            if self._catalog is not None:  # a caller from outside was shown `***` for a secret
                changes = {**changes, "payload": restore(payload, old.payload)}
            encode(changes["payload"])
            await self._schemas.judge(old.definition_key, cast("Document", changes["payload"]))
        try:
            return require_moved(await self._access.run("editJob", Edit(self._tenant, job_id, changes)))
        except UnknownQueue as error:
            raise await self._access.explain(error, changes.get("queue")) from None

    async def run_again(
        self, job_id: UUID, *, payload: Document | None = None, new_id: UUID | None = None
    ) -> tuple[Job, Enqueued]:
        """Make a new job from one that has ended, with its payload or another. `source_ref` names the old job.

        Answers the old job, and what became of the new one. Raises InvalidPayload.
        """
        operation = "runJobAgain" if payload is None else "runJobAgainEdited"
        self._access.caller.require(operation)
        old = await self.get(job_id)
        if old.status not in ENDED:
            message = f"Job {job_id} is {old.status}. Only a job that has ended can run again."
            raise IllegalMove(message, job_id=job_id, status=old.status)
        new = NewJob(
            definition=old.definition_key,
            payload=old.payload if payload is None else cast("Document", restore(payload, old.payload)),
            id=new_id,
            timeout_seconds=old.timeout_seconds,
            source_ref=str(job_id),
            **{name: getattr(old, name) for name in _KEPT},
        )
        await self._admit(new)
        if self._catalog is None:  # a caller from outside was judged above
            await self._judge_again(new)
        [answer] = await self._access.run(operation, Enqueue(self._tenant, [new]))
        return old, answer

    async def submit_again(
        self, job_id: UUID, *, payload: Document | None = None, new_id: UUID | None = None
    ) -> tuple[Enqueued, Job]:
        """The same, with the new job whole; raises why it is refused."""
        old, answer = await self.run_again(job_id, payload=payload, new_id=new_id)
        return answer, await self._made(answer, old.definition_key)

    async def attempts(self, job_id: UUID, *, limit: int = 100, before: int | None = None) -> Page[Attempt, int]:
        """A page of the attempts of a job, the newest first, the running one included."""
        await self.require(job_id)
        return await self._access.run("listAttempts", ListAttempts(self._tenant, job_id, limit, before))

    def walk_attempts(self, job_id: UUID) -> AsyncIterator[Attempt]:
        """All attempts of a job, the newest first."""
        return walk(lambda cursor: self.attempts(job_id, before=cursor))

    async def output(self, job_id: UUID, attempt_no: int) -> CommandOutput:
        """The resource use and the last output of an attempt's command. Raises JobNotFound and OutputNotFound."""
        await self.require(job_id)
        found = await self._access.run("getAttemptOutput", GetOutput(self._tenant, job_id, attempt_no))
        if found is not None:
            return found
        if not await self._access.peek(GetJobs(self._tenant, [job_id])):
            raise JobNotFound(f"There is no job {job_id}.", job_id=job_id)
        message = (
            f"Attempt {attempt_no} of job {job_id} has no output. It ran no command, has not ended, or does not exist."
        )
        raise OutputNotFound(message, job_id=job_id, attempt_no=attempt_no)

    async def result(self, job_id: UUID) -> Json:
        """The return value of a job; None while there is none."""
        await self.require(job_id)
        return await self._access.run("getResult", GetResult(self._tenant, job_id))

    async def summary(self) -> Summary:
        """Counts by status, and the age of the oldest due job."""
        refuse_narrowed(self._access.caller)
        return await self._access.run("summarizeJobs", Summarize(self._tenant))

    async def overview(self) -> Overview:
        """The counts, and what jobs do now: which ended last, run the longest, wait the longest, failed."""
        refuse_narrowed(self._access.caller)
        now = await self._access.run("getOverview", FindActivity(self._tenant))
        return Overview.of(await self._access.peek(Summarize(self._tenant)), now)

    async def explain(self, job_id: UUID) -> Explanation:
        """Why a job waits, runs or has ended; raises JobNotFound."""
        await self.require(job_id)
        return await self._access.run("explainJob", Explain(self._tenant, job_id))

    async def wait(self, job_id: UUID, *, timeout: float | None, sleep: Sleep) -> Job:  # noqa: ASYNC109
        """The job once it has ended, however it ended; raises TimeoutError.

        Logs one warning if nobody can run the job after five seconds, or later.
        """
        outage, patience = Outage(), Patience()
        for pause in pauses(timeout):
            try:
                found = await self.get(job_id)
            except PASSING as error:
                outage.bear(error)
            else:
                outage.is_over()
                if found.status in ENDED:
                    return found
                if found.status is JobStatus.QUEUED and patience.ends():
                    await self._warn(job_id, patience)
            await sleep(pause)
        raise outage.error or too_long(job_id, timeout)

    async def _warn(self, job_id: UUID, patience: Patience) -> None:
        with suppress(JobplaneError):  # a look that fails does not end the wait
            patience.see(await self._access.peek(Explain(self._tenant, job_id)))


def _refuse_unknown(changes: Document) -> None:
    hints = {name: suggest(name, EDITABLE) for name in changes if name not in EDITABLE}
    if hints:
        raise Invalid(explain_each("Unknown field", hints, f"You can edit {', '.join(EDITABLE)}."))
