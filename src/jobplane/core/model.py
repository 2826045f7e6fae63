"""The nouns of jobplane, as values: what goes into a store and what comes out of it.

A value that was read has a field `undecodable`. It names the fields whose stored values cannot be decoded: these are
None, whatever their type says. It is empty for everything that jobplane itself has written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, TypeAlias
from uuid import UUID

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Document: TypeAlias = Mapping[str, Json]

DEFAULT_TENANT: Final = UUID("00000000-0000-7000-8000-000000000001")
SYSTEM_TENANT: Final = UUID("00000000-0000-7000-8000-000000000002")


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DEAD_LETTER = "dead_letter"
    CANCELED = "canceled"


class Outcome(StrEnum):
    """How an attempt ended. `fatal` is a failure where trying again cannot help."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    FATAL = "fatal"
    TIMEOUT = "timeout"
    CANCELED = "canceled"
    LOST = "lost"
    RELEASED = "released"


class OnDuplicate(StrEnum):
    """What an enqueue does to the active job that has its dedupe key."""

    RETURN = "return"
    REPLACE = "replace"
    POSTPONE = "postpone"


@dataclass(slots=True, kw_only=True)
class NewJob:
    """One request to run a definition; what is None is the definition's own. Not frozen: a batch makes thousands."""

    definition: str
    payload: Document = field(default_factory=dict[str, Json])
    id: UUID | None = None
    queue: str | None = None
    priority: int | None = None
    scheduled_for: datetime | None = None
    delay_seconds: float | None = None
    expires_at: datetime | None = None
    dedupe_key: str | None = None
    on_duplicate: OnDuplicate | None = None
    idempotency_key: str | None = None
    correlation_id: str | None = None
    tags: Sequence[str] | None = None
    metadata: Document | None = None
    source: str | None = None
    source_ref: str | None = None
    created_by: str | None = None
    trace_context: str | None = None
    artifact_ref: str | None = None
    max_attempts: int | None = None
    timeout_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Enqueued:
    """What became of one row of an enqueue: created, existing, replaced, postponed, or refused with a code."""

    job_id: UUID | None
    outcome: str
    error_code: str | None
    error: str | None

    @property
    def created(self) -> bool:
        return self.outcome == "created"

    @property
    def refused(self) -> bool:
        return self.outcome == "refused"


@dataclass(frozen=True, slots=True)
class DueChores:
    """Which chores of the upkeep have something to do, and the seconds that each look took.

    `other_seconds`: for so long another process does the upkeep, and nothing was looked at; None: nobody else does.
    `next_seconds`: until the next job comes due; None: no job waits for its time.
    """

    other_seconds: float | None
    next_seconds: float | None
    due: frozenset[str]
    took: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HeldSnapshot:
    """What keeps vacuum from removing dead rows: a session, a prepared transaction or a replication slot."""

    kind: Literal["session", "prepared", "slot"]
    pid: int | None
    login: str | None
    name: str | None
    xmin: str


@dataclass(frozen=True, slots=True)
class Moved:
    """What a person's verb did to one job, and the status it has now."""

    job_id: UUID
    outcome: str
    status: JobStatus | None


@dataclass(frozen=True, slots=True)
class Job:
    """A whole job, as every reader sees it."""

    id: UUID
    tenant_id: UUID
    definition_key: str
    queue: str
    status: JobStatus
    priority: int
    payload: Document
    source: str
    source_ref: str | None
    correlation_id: str | None
    created_by: str | None
    trace_context: str | None
    artifact_ref: str | None
    dedupe_key: str | None
    idempotency_key: str | None
    tags: list[str]
    metadata: Document
    created_at: datetime
    scheduled_for: datetime
    expires_at: datetime | None
    started_at: datetime | None
    first_started_at: datetime | None
    finished_at: datetime | None
    attempt_no: int
    attempts: int
    max_attempts: int
    timeout_seconds: int | None
    worker_id: str | None
    lease_expires_at: datetime | None
    cancel_requested_at: datetime | None
    cancel_reason: str | None
    held_by: str | None
    reason: str | None
    error: str | None
    progress: float | None
    progress_message: str | None
    result: Json
    canceled_at: datetime | None
    trigger_id: UUID | None
    planned_at: datetime | None
    triggered_by: Document | None
    updated_at: datetime
    undecodable: tuple[str, ...] = ()

    @property
    def queued_at(self) -> datetime:
        """The same time as `created_at`."""
        return self.created_at


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Which jobs to list; None is any. An index serves statuses, worker, correlation id, trigger, owner and project.

    `worker_id` finds the jobs that run on that worker now. `text` is looked for in payload, last error, result, tags
    and correlation id, in any case; 6 or more hex digits also at either end of the id, and a whole id finds that job
    alone. `triggered_by` is the type of who enqueued a job.
    """

    statuses: Sequence[JobStatus] | None = None
    definitions: Sequence[str] | None = None
    queues: Sequence[str] | None = None
    correlation_id: str | None = None
    source: str | None = None
    source_ref: str | None = None
    worker_id: str | None = None
    tags: Sequence[str] | None = None
    metadata: Document | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    text: str | None = None
    triggered_by: str | None = None
    trigger_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of a job.

    `pid` and all that follows it are those of a command: None where the attempt ran none, or has not reported yet.
    `signal` is the number of the signal that ended it. `bytes_dropped` counts the output that the log did not take.
    """

    attempt_no: int
    status: str
    outcome: Outcome | None
    worker_id: str
    scheduled_for: datetime
    started_at: datetime
    finished_at: datetime | None
    exit_code: int | None
    reason: str | None
    error: str | None
    progress: float | None
    progress_message: str | None
    led_to: JobStatus | None
    pid: int | None = None
    signal: int | None = None
    user_ms: int | None = None
    system_ms: int | None = None
    max_rss_bytes: int | None = None
    stdout_bytes: int | None = None
    stderr_bytes: int | None = None
    bytes_dropped: int | None = None
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts by status, each up to 10,000, and how long the oldest due job at the head of a lane has waited."""

    queued: int
    running: int
    succeeded: int
    failed: int
    dead_letter: int
    canceled: int
    ready: int
    held: int
    upcoming: int
    oldest_due_seconds: float | None
    is_capped: bool


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """Workers that were seen within a minute, and those that were not; slots of the former, and how many are busy."""

    live: int
    stale: int
    slots: int
    busy: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What jobs do now: those that ended last, those that run the longest, and the oldest that could run.

    `failed_last_hour` counts those that ended as failed or dead letter. It looks at the newest jobs only:
    `failed_is_capped` says that there are more. `workers` is for operators.
    """

    failed_last_hour: int
    failed_is_capped: bool
    ended_last: list[Job]
    running_longest: list[Job]
    oldest: Job | None
    workers: WorkerCounts | None = None

    @classmethod
    def of(cls, jobs: Sequence[Job], failed: int, is_capped: bool) -> Activity:
        """From jobs in their order. A job that has moved meanwhile is shown where it is now."""
        running = [job for job in jobs if job.status is JobStatus.RUNNING]
        queued = [job for job in jobs if job.status is JobStatus.QUEUED]
        ended = [job for job in jobs if job.status not in (JobStatus.RUNNING, JobStatus.QUEUED)]
        return cls(failed, is_capped, ended, running, queued[-1] if queued else None)


@dataclass(frozen=True, slots=True)
class Overview:
    """What a first page shows: the counts, and what jobs do now."""

    summary: Summary
    failed_last_hour: int
    failed_is_capped: bool
    ended_last: list[Job]
    running_longest: list[Job]
    workers: WorkerCounts | None
    oldest: Job | None

    @classmethod
    def of(cls, summary: Summary, now: Activity) -> Overview:
        return cls(summary, **{field.name: getattr(now, field.name) for field in fields(now)})


@dataclass(frozen=True, slots=True)
class Tenant:
    """The owner of data and the boundary of isolation."""

    tenant_id: UUID
    slug: str
    name: str
    timezone: str
    weight: int
    max_in_flight: int | None
    max_pending: int | None
    paused_at: datetime | None
    paused_by: str | None
    paused_reason: str | None
    created_at: datetime
    updated_at: datetime
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TenantDepth:
    """What waits, runs and has died of a tenant, counted up to 10,000 each, and how long its oldest due job waits."""

    tenant_id: UUID
    ready: int = 0
    held: int = 0
    upcoming: int = 0
    running: int = 0
    dead_letter: int = 0
    oldest_due_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Backoff:
    """delay = min(cap, base · factor^(n-1)) · (1 - jitter·u) seconds, u in [0, 1)."""

    base: float = 5.0
    factor: float = 2.0
    cap: float = 300.0
    jitter: float = 0.5


@dataclass(frozen=True, slots=True)
class Definition:
    """What may run: key, kind, argument schema, timeout, retry policy, limits.

    `command` is the document of its command if its kind is `command`, and None if not. `app` is the program whose code
    has it, `code` what that code said at the last sync, and `definition_hash` the digest of that. `overridden` names
    the fields that a person has set; a sync leaves them alone. `revision` grows with every change. A definition that is
    `deleted_from_code`, or has a `deleted_at`, is inactive. One of the `system` is in no list unless it is asked for.
    `definition_id` is internal; `id` is the public name.
    """

    definition_id: int
    key: str
    kind: str | None
    description: str
    arg_schema: Json
    queue: str
    priority: int
    timeout_seconds: int | None
    max_attempts: int
    backoff: Backoff
    max_running: int | None
    max_running_per_tenant: int | None
    retention_days: int | None
    retention_days_logs: int | None
    active: bool
    origin: str
    tags: list[str]
    isolation: str
    on_lost_contact: str
    created_at: datetime
    updated_at: datetime
    id: UUID
    app: str
    app_version: str
    overridden: list[str]
    code: Document | None
    definition_hash: str | None
    revision: int
    retention_count: int | None
    deleted_from_code: bool
    deleted_at: datetime | None
    system: bool
    metadata: Document
    default_payload: Document | None
    command: Document | None
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Queue:
    """A named lane that workers serve, with what waits and runs in it, counted up to 10,000."""

    name: str
    description: str
    paused_at: datetime | None
    paused_by: str | None
    paused_reason: str | None
    ready: int
    held: int
    upcoming: int
    running: int
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWorker:
    """A process that claims jobs; `definitions` has handlers in it, None means that it can run any but commands.

    `commands` are those of its policy that are as the policy says. `mismatched` are the others: it runs none of their
    jobs.
    """

    worker_id: str
    queues: Sequence[str]
    definitions: Sequence[str] | None = None
    hostname: str = ""
    pid: int | None = None
    version: str = ""
    slots: int = 0
    metadata: Document = field(default_factory=dict[str, Json])
    mismatched: Sequence[str] = ()
    commands: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Worker:
    """A registered worker; live: seen within a minute.

    `mismatched` names the commands of its policy whose definitions differ from the policy. `outdated`: a command that
    it knew, or had in its policy, has changed, and it has not registered since.

    `draining`: it is stopping and claims no more jobs. `oldest_lease_at` is when the longest of its attempts that run
    now has started, `longest_lease_seconds` how long ago that was.
    """

    worker_id: str
    hostname: str
    pid: int | None
    version: str
    queues: list[str]
    definitions: list[str] | None
    slots: int
    running_count: int
    metadata: Document
    started_at: datetime
    last_seen_at: datetime
    live: bool
    draining: bool = False
    oldest_lease_at: datetime | None = None
    longest_lease_seconds: float | None = None
    mismatched: list[str] = field(default_factory=list[str])
    outdated: bool = False
    undecodable: tuple[str, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether it has not been seen for a minute. A stale worker can be deleted."""
        return not self.live


@dataclass(frozen=True, slots=True)
class Key:
    """An API key without its secret. One with no tenant is a platform key.

    `owner_user_id` narrows it to the jobs of one user of the application. `replaced_by` is its successor.
    """

    key_id: str
    tenant_id: UUID | None
    role: str
    name: str
    owner_user_id: str | None
    created_at: datetime
    created_by: Document
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaced_by: str | None
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Authenticated:
    """Whom a key stands for. One with no tenant is a platform key."""

    key_id: str
    tenant_id: UUID | None
    tenant_slug: str | None
    role: str
    name: str
    owner_user_id: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Reserved:
    """The ids for the jobs of a request, and the saved reply. Without a status the request is under way or was cut off.

    A caller who repeats the request enqueues with the same ids, so that no job is made twice.
    """

    job_ids: list[UUID]
    is_new: bool
    status: int | None
    body: str | None
