"""enqueue: the options of a job with their types in SQL, and the two statements that are made from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import Any, Final, LiteralString, cast
from uuid import UUID

from jobplane.core.admission import admit
from jobplane.core.errors import JobplaneError
from jobplane.core.model import Enqueued, NewJob
from jobplane.core.payload import encode_document
from jobplane.store.postgres.calls.call import Call, Rows, asks, door, door_statement, texts
from jobplane.store.verbs.jobs import Enqueue

# In the order of the arrays of enqueue_many, behind the definitions and the payloads.
OPTIONS: Final[dict[str, LiteralString]] = {
    "id": "uuid",
    "queue": "text",
    "priority": "int",
    "scheduled_for": "timestamptz",
    "delay_seconds": "float8",
    "expires_at": "timestamptz",
    "dedupe_key": "text",
    "on_duplicate": "text",
    "idempotency_key": "text",
    "correlation_id": "text",
    "tags": "jsonb",
    "metadata": "jsonb",
    "source": "text",
    "source_ref": "text",
    "created_by": "text",
    "trace_context": "text",
    "artifact_ref": "text",
    "max_attempts": "int",
    "timeout_seconds": "int",
}
# A job without these is enqueued by the short way.
_KEYS: Final = ("id", "queue", "expires_at", "dedupe_key", "on_duplicate", "idempotency_key", "tags", "metadata")
_SHORT: Final = {name: kind for name, kind in OPTIONS.items() if name not in _KEYS}
_WRITTEN: Final[dict[str, Callable[[Any], str]]] = {
    "on_duplicate": str,
    "tags": lambda tags: json.dumps(list(tags)),
    "metadata": lambda metadata: encode_document(metadata, "metadata"),
}
_NO_OPTIONS: Final = (None,) * len(OPTIONS)
_options: Final = attrgetter(*OPTIONS)
_keys: Final = attrgetter(*_KEYS)
_short: Final = attrgetter(*_SHORT)


def _array(kind: LiteralString) -> LiteralString:
    return ", %s::text[]::jsonb[]" if kind == "jsonb" else f", %s::{kind}[]"


_ENQUEUED: Final = asks(Enqueued)
_NAMED: Final = cast("LiteralString", "".join(f", p_{name} => %s::{kind}" for name, kind in _SHORT.items()))
_ARRAYS: Final = "".join(_array(kind) for kind in OPTIONS.values())
_ONE: Final = door_statement("select job_id, outcome from jobplane.", f"enqueue(%s::text, %s::text::jsonb{_NAMED})")
_PLAIN: Final = "enqueue_many(%s::text[], %s::text[]::jsonb[])"
_MANY: Final = f"enqueue_many(%s::text[], %s::text[]::jsonb[]{_ARRAYS})"
# What is wrong with one row, and not with the call.
_ROW_STATES: Final = frozenset({"JP002", "JP003", "JP004", "JP005", "JP006", "JP007", "JP014"})


def enqueue(verb: Enqueue) -> Call[list[Enqueued]]:
    """One job without keys by the short way, at half the cost."""
    if len(verb.jobs) == 1 and _is_short(verb.jobs[0]):
        with suppress(JobplaneError):
            return _enqueue_one(verb.tenant, verb.jobs[0], admit(verb.jobs[0]))
    return enqueue_many(verb)


def _is_short(job: object) -> bool:
    return isinstance(job, NewJob) and {*map(type, _keys(job))} == {type(None)}


def _enqueue_one(tenant: UUID, job: NewJob, payload: str) -> Call[list[Enqueued]]:
    parameters = str(tenant), job.definition, payload, *_short(job)
    return Call("app", _ONE, parameters, lambda rows: [Enqueued(rows[0][0], rows[0][1], None, None)], _read_refusal)


def _read_refusal(error: JobplaneError) -> list[Enqueued]:
    if error.facts.get("sqlstate") not in _ROW_STATES:
        raise error
    return [Enqueued(None, "refused", error.code, error.message)]


def enqueue_many(verb: Enqueue) -> Call[list[Enqueued]]:
    """The rows that can be sent go in one call; the others get their answer here. A refused row is never an error."""
    refused: dict[int, Enqueued] = {}
    sent: list[NewJob] = []
    payloads: list[str] = []
    for number, job in enumerate(verb.jobs):
        try:
            payloads.append(admit(job))
            sent.append(job)
        except JobplaneError as error:
            refused[number] = Enqueued(None, "refused", error.code, error.message)
    options, read = [_options(job) for job in sent], partial(_read_enqueued, refused)
    parameters = texts(job.definition for job in sent), texts(payloads)
    if options.count(_NO_OPTIONS) == len(options):
        return door(verb.tenant, _ENQUEUED, _PLAIN, parameters, read)
    given = zip(OPTIONS, zip(*options, strict=True), strict=True)
    columns = (_column(name, values) for name, values in given)
    return door(verb.tenant, _ENQUEUED, _MANY, (*parameters, *columns), read)


def _read_enqueued(refused: dict[int, Enqueued], rows: Rows) -> list[Enqueued]:
    answers = [Enqueued(*row) for row in rows]
    for number, answer in sorted(refused.items()):
        answers.insert(number, answer)
    return answers


def _column(name: str, values: tuple[object, ...]) -> list[object] | None:
    """A column of a batch; None where no row has a value, which the function reads as the definition's own."""
    if values.count(None) == len(values):
        return None
    write = _WRITTEN.get(name)
    return list(values) if write is None else [None if value is None else write(value) for value in values]
