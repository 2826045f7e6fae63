"""Values as JSON: times in UTC with a Z, secrets masked, and what can be derived beside what is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, Final, TypeVar, cast
from uuid import UUID

import orjson
from fastapi import Response

from jobplane import __version__
from jobplane.control.access import Caller
from jobplane.control.commands import CommandPreview
from jobplane.core.audit import AuditEntry
from jobplane.core.command import show_command_line
from jobplane.core.database import DatabaseFacts
from jobplane.core.decoding import names_of
from jobplane.core.explanation import Explanation
from jobplane.core.logs import FoundLine, LogLine
from jobplane.core.model import (
    Attempt,
    Definition,
    Document,
    Job,
    JobStatus,
    Json,
    Key,
    Moved,
    Overview,
    Queue,
    Tenant,
    TenantDepth,
    Worker,
)
from jobplane.core.outputs import CommandOutput
from jobplane.core.paging import Page
from jobplane.core.problems import Problem
from jobplane.core.redaction import redact, redact_text
from jobplane.core.references import read_reference
from jobplane.core.versions import is_older

Item = TypeVar("Item")
Fields = dict[str, Any]

JSON: Final = "application/json"
_OPTIONS: Final = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
_JOB: Final = names_of(Job)
_ATTEMPT: Final = names_of(Attempt)
_DEFINITION: Final = names_of(Definition)
_PLACEHOLDER: Final = re.compile(r"\{[^{}]+\}")
_CHANGES: Final = ("canceled", "requested", "queued")


def encode(value: object) -> bytes:
    return orjson.dumps(value, option=_OPTIONS)


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response with this value as JSON."""
    return Response(encode(value), status, headers, JSON)


def page_fields(page: Page[Item, Any], show: Callable[[Item], Fields], cursor: str | None) -> Fields:
    return {"items": [show(item) for item in page.items], "next_cursor": cursor, "scanned_all": page.scanned_all}


def job_fields(job: Job) -> Fields:
    """A whole job."""
    shown = {name: getattr(job, name) for name in _JOB}
    shown["payload"] = redact(job.payload)
    shown["metadata"] = redact(job.metadata)
    shown["result"] = redact(job.result)
    shown["error"] = _text(job.error)
    shown["progress_message"] = _text(job.progress_message)
    shown["queued_at"] = job.created_at
    shown["triggered_by"] = None if job.triggered_by is None else {"name": "", **job.triggered_by}
    shown["duration_ms"] = duration_ms(job.started_at, job.finished_at)
    shown["display_state"] = display_state(job)
    shown["undecodable"] = list(job.undecodable)
    return shown


def listed_fields(slugs: Mapping[UUID, str], job: Job) -> Fields:
    """A job of a list, with the slug of its tenant where they are of several."""
    slug = slugs.get(job.tenant_id)
    return job_fields(job) | ({} if slug is None else {"tenant": slug})


def selection_fields(moved: Sequence[Moved]) -> Fields:
    """What became of each job of a selection."""
    results = [{"id": each.job_id, "outcome": each.outcome, "status": each.status} for each in moved]
    return {"results": results, "changed": sum(each.outcome in _CHANGES for each in moved)}


def display_state(job: Job) -> str:
    """The status, or why a queued job waits: it has another time, or an attempt has failed."""
    if job.status is not JobStatus.QUEUED:
        return job.status
    if job.attempts > 0:
        return "requeued"
    return "scheduled" if job.held_by is None and _is_later(job) else "queued"


def _is_later(job: Job) -> bool:
    return "scheduled_for" not in job.undecodable and job.scheduled_for > datetime.now(job.scheduled_for.tzinfo)


def duration_ms(started_at: datetime | None, finished_at: datetime | None) -> int | None:
    if started_at is None or finished_at is None:
        return None
    return round((finished_at - started_at).total_seconds() * 1000)


def attempt_fields(attempt: Attempt) -> Fields:
    shown = {name: getattr(attempt, name) for name in _ATTEMPT}
    shown["error"] = _text(attempt.error)
    shown["progress_message"] = _text(attempt.progress_message)
    shown["duration_ms"] = duration_ms(attempt.started_at, attempt.finished_at)
    shown["undecodable"] = list(attempt.undecodable)
    return shown


def line_fields(line: LogLine) -> Fields:
    shown = line._asdict()
    shown["message"] = _text(line.message)
    shown["fields"] = redact(line.fields)
    shown["undecodable"] = list(line.undecodable)
    return shown


def found_fields(found: FoundLine) -> Fields:
    return {"job_id": found.job_id, "definition_key": found.definition_key, **line_fields(found.line)}


def line_text(line: LogLine) -> str:
    """A line for people who read a log with curl."""
    fields = "".join(f" {name}={orjson.dumps(value).decode()}" for name, value in _items(redact(line.fields)))
    at = "-" if "at" in line.undecodable else line.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"{at} {line.attempt_no} {line.level or '-':<7} {_text(line.message) or ''}{fields}\n"


def _items(fields: Json) -> Iterable[tuple[str, Json]]:
    return fields.items() if isinstance(fields, Mapping) else ()


def overview_fields(overview: Overview) -> Fields:
    shown = {field.name: getattr(overview, field.name) for field in fields(overview)}
    for name in ("ended_last", "running_longest"):
        shown[name] = [job_fields(job) for job in shown[name]]
    return {**shown, "oldest": None if overview.oldest is None else job_fields(overview.oldest)}


def database_fields(facts: DatabaseFacts) -> Fields:
    shown = asdict(facts)
    return {"schema": {"found": shown.pop("schema_found"), "wanted": shown.pop("schema_wanted")}, **shown}


def definition_fields(definition: Definition) -> Fields:
    shown = {name: getattr(definition, name) for name in _DEFINITION if name != "definition_id"}
    shown["is_active"] = definition.active
    shown["default_payload"] = redact(definition.default_payload)
    shown["command"] = None if definition.command is None else command_fields(definition.command)
    shown["undecodable"] = list(definition.undecodable)
    return shown


def command_fields(command: Document) -> Fields:
    """A command as it was given. Literal values under telling names are masked; references and placeholders are not."""
    return {name: _given(part) if isinstance(part, Mapping) else redact(part) for name, part in command.items()}


def _given(values: Mapping[str, Json]) -> Fields:
    """The environment, the files or the exit codes of a command."""
    masked = cast("Document", redact(values))
    return {name: value if _stands_for_secret(value) else masked[name] for name, value in values.items()}


def _stands_for_secret(value: Json) -> bool:
    """Whether a value names a secret instead of being one."""
    return isinstance(value, str) and (_PLACEHOLDER.fullmatch(value) is not None or read_reference(value) is not None)


def preview_fields(preview: CommandPreview) -> Fields:
    """The process that a worker would start."""
    shown = asdict(preview)
    for worker in shown["workers"]["listed"] or ():
        worker["reason"] = _text(worker["reason"])
    return {
        **shown,
        "argv": [redact_text(text) for text in preview.argv],
        "command_line": command_line(preview.argv),
        "environment": _given(preview.environment),
        "files": _given(preview.files),
    }


def command_line(argv: Sequence[str]) -> str:
    """The executable and its arguments, as a shell would take them."""
    return show_command_line([redact_text(text) for text in argv])


def output_fields(output: CommandOutput) -> Fields:
    shown = {name: getattr(output, name) for name in names_of(CommandOutput)}
    shown |= {name: _text(shown[name]) for name in ("stdout_tail", "stderr_tail")}
    return {**shown, "undecodable": list(output.undecodable)}


def tenant_fields(tenant: Tenant, depth: TenantDepth) -> Fields:
    return {"id": tenant.tenant_id, **asdict(depth), **_fields(tenant)}


def queue_fields(queue: Queue) -> Fields:
    return _fields(queue)


def worker_fields(worker: Worker) -> Fields:
    """A worker; `is_behind` where it runs an older jobplane than this server."""
    more = {"stale": worker.stale, "is_behind": worker.live and is_older(worker.version, __version__)}
    return {**_fields(worker), **more, "metadata": redact(worker.metadata)}


def key_fields(key: Key) -> Fields:
    return _fields(key)


def audit_fields(entry: AuditEntry) -> Fields:
    return {
        **_fields(entry),
        "actor": {"name": "", **entry.actor},
        "audit_id": str(entry.audit_id),
        "facts": redact(entry.facts),
    }


def explanation_fields(found: Explanation) -> Fields:
    shown = {name: getattr(found, name) for name in names_of(Explanation)}
    return {**shown, "error": _text(found.error), "progress_message": _text(found.progress_message)}


def problem_fields(problem: Problem) -> Fields:
    return {**{name: getattr(problem, name) for name in names_of(Problem)}, "facts": redact(problem.facts)}


def caller_fields(caller: Caller, tenant: Tenant | None) -> Fields:
    who: Document = caller.actor.document if caller.actor else {"type": "login", "id": "", "name": ""}
    known = {"role": caller.role, "tenant_id": caller.tenant, "owner_user_id": caller.owner_user_id}
    whose = {"tenant": tenant and tenant.slug, "tenant_name": tenant and tenant.name}
    session = caller.session and {"created_at": caller.session.created_at, "expires_at": caller.session.expires_at}
    return {**who, **known, **whose, "session": session, "operations": caller.operations}


def _fields(value: Definition | Tenant | Queue | Worker | Key | AuditEntry) -> Fields:
    return {name: getattr(value, name) for name in names_of(type(value))} | {"undecodable": list(value.undecodable)}


def _text(text: str | None) -> str | None:
    return None if text is None else redact_text(text)
