"""What can go wrong, as one tree. `code` is stable: it is the same in Python, SQL, REST, CLI and TypeScript.

JobplaneError
  Invalid      InvalidPayload  InvalidSchema  UnknownDefinition  DefinitionInactive  UnknownQueue
  Invalid      InvalidTimetable  InvalidTemplate  TemplateRefused  InvalidCommand  NotACommand
  InvalidPayload  SecretInPayload
  NotFound     JobNotFound  DefinitionNotFound  TenantNotFound  QueueNotFound  WorkerNotFound  KeyNotFound
  NotFound     TriggerNotFound  OutputNotFound
  Conflict     DuplicateJob  IdempotencyMismatch  IllegalMove  StaleLease  AlreadyExists  QueueInUse  WorkerIsLive
  Conflict     DefinitionInUse  DefinitionOwned  RevisionMismatch
  Denied       Unauthenticated  Forbidden  TenantRequired
  Limited      QuotaExceeded  TenantBusy  RateLimited
  StoreError   StoreUnavailable  StoreBusy  StorageFull  SchemaOutOfDate  UnsafeRole  UnsupportedServer
  WorkerFailed
  SecretRefused  SecretMissing
"""

from __future__ import annotations

from typing import ClassVar


class JobplaneError(Exception):
    """Anything that jobplane refuses or cannot do; `facts` holds what a program may want to know."""

    code: ClassVar[str] = "jobplane_error"

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class Invalid(JobplaneError):
    """The request itself is wrong; sending it again will not help."""

    code = "invalid"


class InvalidPayload(Invalid):
    code = "invalid_payload"


class SecretInPayload(InvalidPayload):
    """A field that the schema marks as a secret has a plain value; `pointer` says where. It must be a reference."""

    code = "secret_in_payload"


class InvalidSchema(Invalid):
    """A definition's schema cannot judge payloads; `key` names the definition."""

    code = "invalid_schema"


class UnknownDefinition(Invalid):
    code = "unknown_definition"


class DefinitionInactive(Invalid):
    code = "definition_inactive"


class UnknownQueue(Invalid):
    code = "unknown_queue"


class InvalidTimetable(Invalid):
    """A timetable cannot be kept: its cron expression, interval, time zone or window. `field` says which is wrong."""

    code = "invalid_timetable"


class InvalidTemplate(Invalid):
    """A payload template cannot be compiled; `pointer` says where, as a JSON pointer."""

    code = "invalid_template"


class TemplateRefused(Invalid):
    """A template cannot be rendered with these values; `pointer` says where, and `path` names a missing value."""

    code = "template_refused"


class InvalidCommand(Invalid):
    """A command cannot be built from payloads of the schema; `pointer` says where, as a JSON pointer."""

    code = "invalid_command"


class NotACommand(Invalid):
    """The definition runs no command, and has no command line to show."""

    code = "not_a_command"


class NotFound(JobplaneError):
    """It does not exist, or it belongs to another tenant: the answer is the same."""

    code = "not_found"


class JobNotFound(NotFound):
    code = "job_not_found"


class DefinitionNotFound(NotFound):
    code = "definition_not_found"


class TenantNotFound(NotFound):
    code = "tenant_not_found"


class QueueNotFound(NotFound):
    code = "queue_not_found"


class WorkerNotFound(NotFound):
    code = "worker_not_found"


class KeyNotFound(NotFound):
    """There is no such API key, or it cannot be rotated: it was revoked or rotated, or it has expired."""

    code = "key_not_found"


class TriggerNotFound(NotFound):
    code = "trigger_not_found"


class OutputNotFound(NotFound):
    """The attempt has no output of a command: it ran none, it has not ended, or there is no such attempt."""

    code = "output_not_found"


class Conflict(JobplaneError):
    """The present state does not allow it."""

    code = "conflict"


class DuplicateJob(Conflict):
    """Another active job holds the dedupe key.

    An enqueue names that job as `existing_id`. A retry names as `job_id` the job that has to wait for its end.
    """

    code = "duplicate_job"


class IdempotencyMismatch(Conflict):
    code = "idempotency_mismatch"


class IllegalMove(Conflict):
    """The job's status does not allow this move; `status` says which it has now."""

    code = "illegal_move"


class StaleLease(Conflict):
    code = "stale_lease"


class AlreadyExists(Conflict):
    code = "already_exists"


class QueueInUse(Conflict):
    """A queue cannot be deleted; `used_by` says why: jobs, definitions, workers or jobplane itself."""

    code = "queue_in_use"


class WorkerIsLive(Conflict):
    """A worker cannot be deleted while it gives signs of life."""

    code = "worker_is_live"


class DefinitionInUse(Conflict):
    """A definition cannot be deleted; `used_by` says what needs it."""

    code = "definition_in_use"


class DefinitionOwned(Conflict):
    """A definition belongs to another app, and `app` says which; or it is a command, whose key no code can take."""

    code = "definition_owned"


class RevisionMismatch(Conflict):
    """Somebody else has changed it since it was read; `revision` is the one that it has now."""

    code = "revision_mismatch"


class Denied(JobplaneError):
    code = "denied"


class Unauthenticated(Denied):
    code = "unauthenticated"


class Forbidden(Denied):
    code = "forbidden"


class TenantRequired(Denied):
    code = "tenant_required"


class Limited(JobplaneError):
    """Not now; `retry_after` in seconds where it is known."""

    code = "limited"


class QuotaExceeded(Limited):
    code = "quota_exceeded"


class TenantBusy(Limited):
    code = "tenant_busy"


class RateLimited(Limited):
    """One key makes too many requests."""

    code = "rate_limited"


class StoreError(JobplaneError):
    """The database did not do its part."""

    code = "store_error"


class StoreUnavailable(StoreError):
    code = "store_unavailable"


class StoreBusy(StoreError):
    """A lost race or a timeout; the same call may succeed now."""

    code = "store_busy"


class StorageFull(StoreError):
    code = "storage_full"


class SchemaOutOfDate(StoreError):
    """Schema and program do not fit; `found` and `wanted` are schema numbers."""

    code = "schema_out_of_date"


class UnsafeRole(StoreError):
    """A role that would see through row-level security."""

    code = "unsafe_role"


class UnsupportedServer(StoreError):
    code = "unsupported_server"


class WorkerFailed(JobplaneError):
    """A worker that cannot run: its modules cannot be imported, a startup hook raised, or one of its loops died."""

    code = "worker_failed"


class SecretRefused(JobplaneError):
    """The policy of the worker does not allow a secret; `reference` names it."""

    code = "secret_not_allowed"


class SecretMissing(SecretRefused):
    """A secret that is allowed is not there: no such variable or file, or it cannot be read."""

    code = "secret_missing"
