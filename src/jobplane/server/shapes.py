"""The bodies of requests, and what the documentation says of answers."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Final, Literal, get_type_hints
from uuid import UUID

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    RootModel,
    StringConstraints,
    create_model,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from jobplane.control.access import Role
from jobplane.core import bounds
from jobplane.core.audit import AuditEntry
from jobplane.core.database import Connections, Journal, TableFacts
from jobplane.core.decoding import names_of
from jobplane.core.explanation import Explanation, Gate
from jobplane.core.logs import LogLine
from jobplane.core.model import (
    Attempt,
    Definition,
    Job,
    JobStatus,
    Key,
    OnDuplicate,
    Overview,
    Queue,
    Summary,
    Tenant,
    Worker,
    WorkerCounts,
)
from jobplane.core.outputs import CommandOutput
from jobplane.core.problems import Problem as CurrentProblem
from jobplane.core.retry import BackoffName

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")


def _require_text(value: object) -> object:
    if not isinstance(value, datetime) and not (isinstance(value, str) and _TIME.match(value)):
        raise ValueError("Write a time as in RFC 3339, for example 2026-02-16T10:30:00Z.")
    return value


# RFC 3339 alone: a number would be taken for seconds since 1970.
Time = Annotated[AwareDatetime, BeforeValidator(_require_text)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Body(BaseModel):
    """The body of a request. An unknown field is an error."""

    model_config = ConfigDict(extra="forbid")


class EnqueueBody(Body):
    """A job to enqueue. What is left out is the definition's own."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "definition_key": "recompute-trained-tags",
                    "payload": {"model": "siglip"},
                    "priority": 100,
                    "scheduled_for": "2026-02-16T10:30:00Z",
                    "dedupe_key": "tenant:bcg:training:daily",
                }
            ]
        }
    )

    definition_key: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    payload: dict[str, Any] = {}
    priority: Annotated[int | None, Field(strict=True, ge=0, le=1000)] = None
    queue: str | None = None
    scheduled_for: Time | None = None
    delay_seconds: Annotated[float | None, Field(strict=True, ge=0)] = None
    expires_at: Time | None = None
    dedupe_key: str | None = None
    on_duplicate: OnDuplicate | None = None
    idempotency_key: str | None = None
    correlation_id: str | None = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    source_ref: str | None = None
    created_by: str | None = None
    artifact_ref: str | None = None
    max_attempts: Annotated[int | None, Field(strict=True, ge=1, le=bounds.POLICY["max_attempts"][1])] = None
    timeout_seconds: Annotated[int | None, Field(strict=True, ge=1, le=bounds.POLICY["timeout_seconds"][1])] = None


class BulkBody(Body):
    """Up to 1,000 jobs. Each has a result of its own; a refused one does not sink the others."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"jobs": [{"definition_key": "send-mail", "payload": {"to": "ann@example.com"}}]}]
        }
    )

    jobs: Annotated[list[EnqueueBody], Field(min_length=1, max_length=1000)]


class ReasonBody(Body):
    """Why. It is shown where the effect is, and in the audit log."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "The provider is down."}]})

    reason: Words | None = None


class RetryBody(Body):
    """A fresh budget of attempts; default: that of the job."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"max_attempts": 5}]})

    max_attempts: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = None


JobIds = Annotated[list[UUID], Field(min_length=1, max_length=200)]
_SELECTED: Final[list[JsonValue]] = ["0199c0de-0000-7000-8000-000000000001", "0199c0de-0000-7000-8000-000000000002"]


class CancelJobsBody(ReasonBody):
    """Which jobs to cancel, and why."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": _SELECTED, "reason": "The provider is down."}]})

    ids: JobIds


class RetryJobsBody(RetryBody):
    """Which jobs to retry, and with how many attempts; default: those of each job."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": _SELECTED, "max_attempts": 5}]})

    ids: JobIds


class RescheduleBody(Body):
    """Another time for a waiting job: a point in time, or a delay by the database's clock."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"scheduled_for": "2026-02-17T02:00:00Z"}]})

    scheduled_for: Time | None = None
    delay_seconds: Annotated[float | None, Field(strict=True, ge=0)] = None


class EditBody(Body):
    """What to change in a waiting job; what is left out stays. null takes a value away where that is possible."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"priority": 10, "payload": {"model": "siglip-2"}}]})

    payload: dict[str, Any] | None = None
    queue: str | None = None
    priority: Annotated[int | None, Field(strict=True, ge=0, le=1000)] = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    max_attempts: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = None
    timeout_seconds: Annotated[int | None, Field(strict=True, ge=1, le=bounds.POLICY["timeout_seconds"][1])] = None
    expires_at: Time | None = None


class RunAgainBody(Body):
    """The payload of the new job; default: that of the old one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"payload": {"model": "siglip-2"}}]})

    payload: dict[str, Any] | None = None


class QueueBody(Body):
    """What a queue is for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"description": "Mail to customers"}]})

    description: Annotated[str, StringConstraints(max_length=1000)] = ""


class TenantBody(Body):
    """A tenant to make."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"slug": "acme", "name": "Acme Inc.", "timezone": "America/New_York"}]}
    )

    slug: Annotated[str, StringConstraints(min_length=1, max_length=63)]
    name: Annotated[str, StringConstraints(max_length=500)] = ""
    timezone: Annotated[str, StringConstraints(min_length=1, max_length=64)] = "UTC"
    weight: Annotated[int, Field(strict=True, ge=1, le=1000)] = 1
    max_in_flight: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    max_pending: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None


class TenantChanges(Body):
    """What to change in a tenant; what is left out stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"weight": 3, "max_in_flight": None}]})

    slug: Annotated[str, StringConstraints(min_length=1, max_length=63)] | None = None
    name: Annotated[str, StringConstraints(max_length=500)] | None = None
    timezone: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    weight: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = None
    max_in_flight: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    max_pending: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None


class KeyBody(Body):
    """A key to make. One with the role super_admin or worker belongs to no tenant."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "enqueue", "name": "web shop"}]})

    role: Role
    name: Annotated[str, StringConstraints(max_length=200)] = ""
    owner_user_id: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    expires_at: Time | None = None


class RotateBody(Body):
    """How long the old key works beside the new one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"overlap_seconds": 3600}]})

    overlap_seconds: Annotated[int, Field(strict=True, ge=0, le=30 * 86_400)] = 86_400


class BackoffBody(Body):
    """delay = min(cap, base * factor^(n-1)) * (1 - jitter * u) seconds, u in [0, 1)."""

    base: Annotated[float | None, Field(strict=True, ge=0, le=bounds.BACKOFF["base"][1])] = None
    factor: Annotated[float | None, Field(strict=True, ge=1, le=bounds.BACKOFF["factor"][1])] = None
    cap: Annotated[float | None, Field(strict=True, ge=0, le=bounds.BACKOFF["cap"][1])] = None
    jitter: Annotated[float | None, Field(strict=True, ge=0, le=1)] = None


class DefinitionChanges(Body):
    """What a person overrides in a definition; what is left out stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"max_running": 4, "timeout_seconds": 900}]})

    description: str | None = None
    arg_schema: dict[str, Any] | bool | None = None
    queue: str | None = None
    priority: Annotated[int | None, Field(strict=True, ge=0, le=1000)] = None
    timeout_seconds: Annotated[int | None, Field(strict=True, ge=1, le=bounds.POLICY["timeout_seconds"][1])] = None
    max_attempts: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = None
    backoff: BackoffBody | BackoffName | None = None
    max_running: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    max_running_per_tenant: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    retention_days: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    retention_days_logs: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    retention_count: Annotated[int | None, Field(strict=True, ge=0, le=bounds.INT)] = None
    is_active: Annotated[bool | None, Field(strict=True)] = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    default_payload: dict[str, Any] | None = None
    command: Annotated[
        dict[str, Any] | None,
        Field(description="The command line; with it the definition is of the kind `command`. It is replaced whole."),
    ] = None

    def document(self) -> dict[str, Any]:
        """What the body names, by the names of the model: the first design calls `active` `is_active`."""
        given = self.model_dump(mode="json", exclude_unset=True)
        return {"active" if name == "is_active" else name: value for name, value in given.items()}


class DefinitionBody(DefinitionChanges):
    """A definition to make."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "key": "sync-dropbox",
                    "description": "Sync provider updates for tenant",
                    "arg_schema": {
                        "type": "object",
                        "properties": {
                            "provider_id": {"type": "string", "format": "uuid"},
                            "path_prefix": {"type": "string"},
                        },
                        "required": ["provider_id"],
                        "additionalProperties": False,
                    },
                    "timeout_seconds": 3600,
                    "max_attempts": 3,
                    "command": {
                        "executable": "/opt/zoltag/bin/zoltag",
                        "argv": [
                            "sync-dropbox",
                            "--tenant-id",
                            "{tenant_id}",
                            "--provider-id={provider_id}",
                            "--path={path_prefix}",
                        ],
                        "environment": {"LANG": "C.UTF-8", "DROPBOX_TOKEN": "env:DROPBOX_TOKEN"},
                        "exit_codes": {"75": "retry", "3": "fail"},
                    },
                }
            ]
        }
    )

    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class PreviewBody(Body):
    """The payload whose command line to show."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"payload": {"provider_id": "0199c0de-0000-7000-8000-000000000001", "path_prefix": "/photos"}}]
        }
    )

    payload: dict[str, Any] = {}


def list_of(item: Any) -> Any:
    return list[item]


def shape_of(name: str, kind: type, **more: Any) -> type[BaseModel]:
    """What an answer looks like: the fields of a value, and more."""
    hints = get_type_hints(kind, localns={"Json": Any, "Document": dict[str, Any]})
    inner = ("definition_id", "zone_version", "tenant_timezone")  # what a value has for the store alone
    shown = [field for field in names_of(kind) if field not in more and field not in inner]
    fields: dict[str, Any] = {field: (hints[field], ...) for field in shown}
    make: Any = create_model
    return make(name, **fields, **{field: (hint, ...) for field, hint in more.items()})


_DOCUMENT = dict[str, Any]


class Triggered(BaseModel):
    """Who enqueued a job: a key, a login, a session, a job, the scheduler, a hook or an event."""

    type: str
    id: str
    name: str


DisplayState = Literal["queued", "scheduled", "requeued", "running", "succeeded", "failed", "dead_letter", "canceled"]
JobOut = shape_of(
    "Job", Job, payload=_DOCUMENT | None, metadata=_DOCUMENT | None, result=Any, triggered_by=Triggered | None,
    queued_at=datetime | None, duration_ms=int | None, display_state=DisplayState, undecodable=list[str],
)  # fmt: skip
EnqueuedOut = create_model("EnqueuedJob", __base__=JobOut, created=(bool, ...))
AttemptOut = shape_of("Attempt", Attempt, duration_ms=int | None, undecodable=list[str])
OutputOut = shape_of("CommandOutput", CommandOutput, undecodable=list[str])
LineOut = shape_of("LogLine", LogLine, fields=_DOCUMENT | None, undecodable=list[str])
FoundOut = create_model("FoundLine", __base__=LineOut, job_id=(UUID, ...), definition_key=(str, ...))
FindingsOut = create_model("Findings", items=(list_of(FoundOut), ...), scanned_all=(bool, ...))
SummaryOut = shape_of("Summary", Summary)
WorkerCountsOut = shape_of("WorkerCounts", WorkerCounts)
OverviewOut = shape_of(
    "Overview", Overview, summary=SummaryOut, ended_last=list_of(JobOut), running_longest=list_of(JobOut),
    workers=WorkerCountsOut | None, oldest=JobOut | None,
)  # fmt: skip
QueueOut = shape_of("Queue", Queue, undecodable=list[str])
TenantOut = shape_of(
    "Tenant", Tenant, id=UUID, undecodable=list[str], ready=int, held=int, upcoming=int, running=int, dead_letter=int,
    oldest_due_seconds=float | None,
)  # fmt: skip
WorkerOut = shape_of("Worker", Worker, metadata=_DOCUMENT, stale=bool, is_behind=bool, undecodable=list[str])
DefinitionOut = shape_of("Definition", Definition, arg_schema=Any, is_active=bool, undecodable=list[str])


def page_of(name: str, item: Any) -> type[BaseModel]:
    """A page of a list."""
    return create_model(name, items=(list_of(item), ...), next_cursor=(str | None, ...), scanned_all=(bool, True))


ListedJobOut = create_model("ListedJob", __base__=JobOut, tenant=(str | SkipJsonSchema[None], None))
JobPage = create_model(
    "JobPage",
    __base__=page_of("JobPage", ListedJobOut),
    total=(int | SkipJsonSchema[None], None),
    total_is_capped=(bool | SkipJsonSchema[None], None),
)
AttemptPage, LinePage = page_of("AttemptPage", AttemptOut), page_of("LogPage", LineOut)
QueuePage, TenantPage = page_of("QueuePage", QueueOut), page_of("TenantPage", TenantOut)
WorkerPage, DefinitionPage = page_of("WorkerPage", WorkerOut), page_of("DefinitionPage", DefinitionOut)


KeyOut = shape_of("Key", Key, undecodable=list[str])
NewKeyOut = create_model("NewKey", __base__=KeyOut, key=(str, ...))
KeyPage = page_of("KeyPage", KeyOut)
AuditOut = shape_of("AuditEntry", AuditEntry, actor=_DOCUMENT, audit_id=str, facts=_DOCUMENT, undecodable=list[str])
AuditPage = page_of("AuditPage", AuditOut)
GateOut = shape_of("Gate", Gate, evidence=_DOCUMENT)
ExplanationOut = shape_of("Explanation", Explanation, gates=list_of(GateOut))
ProblemOut = shape_of("CurrentProblem", CurrentProblem, subject=_DOCUMENT, facts=_DOCUMENT)
ProblemsOut = create_model("Problems", items=(list_of(ProblemOut), ...))


class SchemaOut(BaseModel):
    """The number of the newest migration that the database has, and that this server knows."""

    found: int
    wanted: int


DatabaseOut = create_model(
    "Database",
    store=(Literal["postgresql", "sqlite"], ...),
    version=(str, ...),
    # A model has a method of this name.
    schema_=(SchemaOut, Field(alias="schema")),
    size_bytes=(int, ...),
    connections=(Connections | None, ...),
    oldest_transaction_seconds=(float | None, ...),
    tables=(list_of(TableFacts), ...),
    journal=(Journal | None, ...),
)


class BacklogOut(BaseModel):
    """How many jobs of a queue may be claimed now."""

    ready: int


class SessionOut(BaseModel):
    """A session ends at `expires_at`, or earlier where nobody uses it."""

    created_at: datetime
    expires_at: datetime


class LinkOut(BaseModel):
    """A link that signs in once. `path` is a page below the root of the server."""

    link: str
    path: str
    expires_at: datetime


class SignInBody(Body):
    """Either an API key or a link."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"key": "jp_5k2m9xw0q7ab_..."}, {"link": "jpl_..."}]})

    key: Annotated[str | None, Field(max_length=500)] = None
    link: Annotated[str | None, Field(max_length=500)] = None

    @model_validator(mode="after")
    def _either(self) -> SignInBody:
        if (self.key is None) == (self.link is None):
            raise ValueError("Send either a key or a link.")
        return self


class MeOut(BaseModel):
    """The caller. `tenant_id` is null for keys of the platform, `session` for a caller with a key.

    `version`, `now` and `store` are those of the server that answers.
    """

    type: str
    id: str
    name: str
    role: Role
    tenant_id: UUID | None
    owner_user_id: str | None
    tenant: str | None
    tenant_name: str | None
    session: SessionOut | None
    operations: list[str]
    version: str
    now: datetime
    store: Literal["postgresql", "sqlite"]


class BulkResult(BaseModel):
    """What became of one job of a bulk enqueue."""

    index: int
    outcome: Literal["created", "existing", "replaced", "postponed", "refused"]
    id: UUID | None
    code: str | None
    detail: str | None


class BulkOut(BaseModel):
    """One result for each job, in the same order."""

    results: list[BulkResult]
    created: int
    refused: int


class MovedOut(BaseModel):
    """What became of one job of a selection. `status` is the one it has now; null: it is not there.

    Cancel answers `canceled`, `requested` (its worker was asked to stop it), `ended` (it had ended before) or
    `not_found`; retry answers `queued`, `illegal_move`, `duplicate_job`, `quota_exceeded`, `definition_inactive`,
    `unknown_queue`, `invalid_payload` (it does not fit the definition's schema any more) or `not_found`.
    """

    id: UUID
    outcome: str
    status: JobStatus | None


class SelectionOut(BaseModel):
    """One result for each job, in the order of the ids. `changed` counts `canceled`, `requested` and `queued`."""

    results: list[MovedOut]
    changed: int


class CommandWorkerOut(BaseModel):
    """A live worker whose policy names the definition.

    `state` is `ready`, or a code for why the worker runs no job of it; `reason` says the same in a sentence. `hash` is
    the content hash in its policy.
    """

    worker_id: str
    state: str
    reason: str | None
    hash: str | None


class CommandWorkersOut(BaseModel):
    """The number of live workers of the definition's queue that may run it, and of those whose policy differs.

    `listed` has them by name for super admins, and is null for all others.
    """

    ready: int
    mismatched: int
    listed: list[CommandWorkerOut] | None


class CommandPreviewOut(BaseModel):
    """The process that a worker would start. `argv` begins with the executable; `command_line` is the same for a shell.

    References to secrets are shown as they are. `{job_id}` and `{attempt_no}` are known when there is a job. A worker
    adds to the environment what its policy says, and `JOBPLANE_*` and `TRACEPARENT`.
    """

    definition_key: str
    argv: list[str]
    command_line: str
    environment: dict[str, str]
    files: dict[str, str]
    stdin: Literal["closed", "payload"]
    workers: CommandWorkersOut


class DryRunOut(BaseModel):
    """The effect that an enqueue would have. A job that would be refused is answered with the same error.

    `command_line` is that of a command, for callers who may preview it.
    """

    valid: Literal[True]
    definition_key: str
    queue: str
    max_attempts: int
    command_line: str | SkipJsonSchema[None] = None


class DefinitionDryRunOut(BaseModel):
    """The definition could be made, or changed so. What would be refused is answered with the same error."""

    valid: Literal[True]
    key: str


class ChangedDefinitionOut(RootModel[Any]):
    """The definition, or what a dry run says."""

    root: DefinitionOut | DefinitionDryRunOut  # pyright: ignore[reportInvalidTypeForm] made from a dataclass


class AlreadyOut(RootModel[Any]):
    """A job that is there already, or what a dry run says."""

    root: EnqueuedOut | DryRunOut  # pyright: ignore[reportInvalidTypeForm] made from a dataclass


class ResultOut(BaseModel):
    """What the handler returned; null while there is none."""

    result: Any


class ProblemBody(BaseModel):
    """RFC 9457. `code` is stable: it is the one to program on."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
