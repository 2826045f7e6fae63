"""One tree of errors, drawn at the top of its file; a code is stable, so it stands here a second time."""

from __future__ import annotations

import inspect
import re

import pytest

from jobplane.core import errors
from jobplane.core.errors import JobplaneError

CODES = {
    "AlreadyExists": "already_exists",
    "Conflict": "conflict",
    "DefinitionInUse": "definition_in_use",
    "DefinitionInactive": "definition_inactive",
    "DefinitionNotFound": "definition_not_found",
    "DefinitionOwned": "definition_owned",
    "Denied": "denied",
    "DuplicateJob": "duplicate_job",
    "Forbidden": "forbidden",
    "IdempotencyMismatch": "idempotency_mismatch",
    "IllegalMove": "illegal_move",
    "Invalid": "invalid",
    "InvalidCommand": "invalid_command",
    "InvalidPayload": "invalid_payload",
    "InvalidSchema": "invalid_schema",
    "InvalidTemplate": "invalid_template",
    "InvalidTimetable": "invalid_timetable",
    "JobNotFound": "job_not_found",
    "JobplaneError": "jobplane_error",
    "KeyNotFound": "key_not_found",
    "Limited": "limited",
    "NotACommand": "not_a_command",
    "NotFound": "not_found",
    "OutputNotFound": "output_not_found",
    "QueueNotFound": "queue_not_found",
    "QueueInUse": "queue_in_use",
    "QuotaExceeded": "quota_exceeded",
    "RateLimited": "rate_limited",
    "RevisionMismatch": "revision_mismatch",
    "SchemaOutOfDate": "schema_out_of_date",
    "SecretInPayload": "secret_in_payload",
    "SecretMissing": "secret_missing",
    "SecretRefused": "secret_not_allowed",
    "StaleLease": "stale_lease",
    "StorageFull": "storage_full",
    "StoreBusy": "store_busy",
    "StoreError": "store_error",
    "StoreUnavailable": "store_unavailable",
    "TemplateRefused": "template_refused",
    "TenantBusy": "tenant_busy",
    "TenantNotFound": "tenant_not_found",
    "TenantRequired": "tenant_required",
    "TriggerNotFound": "trigger_not_found",
    "Unauthenticated": "unauthenticated",
    "UnknownDefinition": "unknown_definition",
    "UnknownQueue": "unknown_queue",
    "UnsafeRole": "unsafe_role",
    "UnsupportedServer": "unsupported_server",
    "WorkerFailed": "worker_failed",
    "WorkerIsLive": "worker_is_live",
    "WorkerNotFound": "worker_not_found",
}
TREE = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, JobplaneError)]


def test_no_code_changes_and_none_is_used_twice() -> None:
    assert {kind.__name__: kind.code for kind in TREE} == CODES
    assert len(set(CODES.values())) == len(CODES)


def test_the_drawing_is_the_tree() -> None:
    drawn: dict[str, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if re.match(r"  \w", line):
            parent, *children = line.split()
            drawn = {parent: "JobplaneError", **drawn, **dict.fromkeys(children, parent)}

    assert drawn == {kind.__name__: kind.__mro__[1].__name__ for kind in TREE if kind is not JobplaneError}


@pytest.mark.parametrize("kind", TREE)
def test_an_error_is_a_sentence_with_facts(kind: type[JobplaneError]) -> None:
    error = kind("what to do next", existing_id=7)

    assert (str(error), error.message, error.facts) == ("what to do next", "what to do next", {"existing_id": 7})
    with pytest.raises(JobplaneError):
        raise error
