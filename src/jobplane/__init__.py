"""A multi-tenant jobs control plane on PostgreSQL and SQLite."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobplane.api.handles import JobCall, JobHandle, Refused
    from jobplane.api.job import Enqueuer, JobFunction
    from jobplane.api.jobplane import Jobplane
    from jobplane.api.manager import AsyncJobManager, JobManager, JobRecord, LeaseRecord
    from jobplane.api.schedules import Schedules
    from jobplane.api.working import RunningWorker
    from jobplane.control.triggers import Preview, Simulated
    from jobplane.core.definitions import SyncedDefinition
    from jobplane.core.errors import (
        AlreadyExists,
        Conflict,
        DefinitionInactive,
        DefinitionInUse,
        DefinitionNotFound,
        DefinitionOwned,
        Denied,
        DuplicateJob,
        Forbidden,
        IdempotencyMismatch,
        IllegalMove,
        Invalid,
        InvalidPayload,
        InvalidSchema,
        InvalidTemplate,
        InvalidTimetable,
        JobNotFound,
        JobplaneError,
        KeyNotFound,
        Limited,
        NotFound,
        QueueInUse,
        QueueNotFound,
        QuotaExceeded,
        RateLimited,
        RevisionMismatch,
        SchemaOutOfDate,
        StaleLease,
        StorageFull,
        StoreBusy,
        StoreError,
        StoreUnavailable,
        TemplateRefused,
        TenantBusy,
        TenantNotFound,
        TenantRequired,
        TriggerNotFound,
        Unauthenticated,
        UnknownDefinition,
        UnknownQueue,
        UnsafeRole,
        UnsupportedServer,
        WorkerFailed,
        WorkerIsLive,
        WorkerNotFound,
    )
    from jobplane.core.explanation import Explanation, Gate
    from jobplane.core.logs import Findings, FoundLine, LogLine
    from jobplane.core.model import (
        Attempt,
        Backoff,
        Definition,
        Job,
        JobStatus,
        Key,
        Moved,
        OnDuplicate,
        Queue,
        Summary,
        Tenant,
        Worker,
    )
    from jobplane.core.paging import Count
    from jobplane.core.problems import Problem
    from jobplane.core.timetable import PlannedTime, Simulation
    from jobplane.core.triggers import Fire, FiredByHand, Trigger
    from jobplane.execution.context import Context, current_context
    from jobplane.execution.exceptions import Canceled, DeadlinePassed, Fail, Interrupted, LeaseLost, Retry, Snooze

__all__ = [
    "AlreadyExists",
    "AsyncJobManager",
    "Attempt",
    "Backoff",
    "Canceled",
    "Conflict",
    "Context",
    "Count",
    "DeadlinePassed",
    "Definition",
    "DefinitionInUse",
    "DefinitionInactive",
    "DefinitionNotFound",
    "DefinitionOwned",
    "Denied",
    "DuplicateJob",
    "Enqueuer",
    "Explanation",
    "Fail",
    "Findings",
    "Fire",
    "FiredByHand",
    "Forbidden",
    "FoundLine",
    "Gate",
    "IdempotencyMismatch",
    "IllegalMove",
    "Interrupted",
    "Invalid",
    "InvalidPayload",
    "InvalidSchema",
    "InvalidTemplate",
    "InvalidTimetable",
    "Job",
    "JobCall",
    "JobFunction",
    "JobHandle",
    "JobManager",
    "JobNotFound",
    "JobRecord",
    "JobStatus",
    "Jobplane",
    "JobplaneError",
    "Key",
    "KeyNotFound",
    "LeaseLost",
    "LeaseRecord",
    "Limited",
    "LogLine",
    "Moved",
    "NotFound",
    "OnDuplicate",
    "PlannedTime",
    "Preview",
    "Problem",
    "Queue",
    "QueueInUse",
    "QueueNotFound",
    "QuotaExceeded",
    "RateLimited",
    "Refused",
    "Retry",
    "RevisionMismatch",
    "RunningWorker",
    "Schedules",
    "SchemaOutOfDate",
    "Simulated",
    "Simulation",
    "Snooze",
    "StaleLease",
    "StorageFull",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
    "Summary",
    "SyncedDefinition",
    "TemplateRefused",
    "Tenant",
    "TenantBusy",
    "TenantNotFound",
    "TenantRequired",
    "Trigger",
    "TriggerNotFound",
    "Unauthenticated",
    "UnknownDefinition",
    "UnknownQueue",
    "UnsafeRole",
    "UnsupportedServer",
    "Worker",
    "WorkerFailed",
    "WorkerIsLive",
    "WorkerNotFound",
    "__version__",
    "current_context",
]

__version__ = "0.1.0"

# A name is imported when it is asked for: `jobplane --help` needs none of them.
_HOMES = {
    "Context": "jobplane.execution.context",
    "Count": "jobplane.core.paging",
    "current_context": "jobplane.execution.context",
    "JobCall": "jobplane.api.handles",
    "JobHandle": "jobplane.api.handles",
    "Refused": "jobplane.api.handles",
    "Enqueuer": "jobplane.api.job",
    "JobFunction": "jobplane.api.job",
    "Jobplane": "jobplane.api.jobplane",
    "AsyncJobManager": "jobplane.api.manager",
    "JobManager": "jobplane.api.manager",
    "JobRecord": "jobplane.api.manager",
    "LeaseRecord": "jobplane.api.manager",
    "Canceled": "jobplane.execution.exceptions",
    "DeadlinePassed": "jobplane.execution.exceptions",
    "Fail": "jobplane.execution.exceptions",
    "Interrupted": "jobplane.execution.exceptions",
    "LeaseLost": "jobplane.execution.exceptions",
    "Retry": "jobplane.execution.exceptions",
    "Snooze": "jobplane.execution.exceptions",
    "RunningWorker": "jobplane.api.working",
    "Explanation": "jobplane.core.explanation",
    "Gate": "jobplane.core.explanation",
    "Findings": "jobplane.core.logs",
    "FoundLine": "jobplane.core.logs",
    "LogLine": "jobplane.core.logs",
    "SyncedDefinition": "jobplane.core.definitions",
    "Problem": "jobplane.core.problems",
    "Attempt": "jobplane.core.model",
    "Backoff": "jobplane.core.model",
    "Queue": "jobplane.core.model",
    "Summary": "jobplane.core.model",
    "Worker": "jobplane.core.model",
    "Definition": "jobplane.core.model",
    "Job": "jobplane.core.model",
    "JobStatus": "jobplane.core.model",
    "Key": "jobplane.core.model",
    "Moved": "jobplane.core.model",
    "OnDuplicate": "jobplane.core.model",
    "Tenant": "jobplane.core.model",
    "Schedules": "jobplane.api.schedules",
    "Preview": "jobplane.control.triggers",
    "Simulated": "jobplane.control.triggers",
    "PlannedTime": "jobplane.core.timetable",
    "Simulation": "jobplane.core.timetable",
    "Fire": "jobplane.core.triggers",
    "FiredByHand": "jobplane.core.triggers",
    "Trigger": "jobplane.core.triggers",
}


if not TYPE_CHECKING:  # to a checker it would say that every name is there

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'jobplane' has no attribute {name!r}")
        found = getattr(import_module(_HOMES.get(name, "jobplane.core.errors")), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return __all__
