"""The facts of new jobs: their columns once, from which the insert for one job, for plain jobs and for any is made."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from jobplane.core.admission import TEXTS
from jobplane.core.payload import encode_document
from jobplane.store.sqlite.verbs.arrays import dumps
from jobplane.store.sqlite.verbs.rows import Row

# What a job that asks for nothing has; d is its definition.
_OWN: Final = {
    "definition_id": "d.definition_id",
    "definition_key": "d.key",
    "queue_id": "d.queue_id",
    "timeout_seconds": "d.timeout_seconds",
    "backoff_base": "d.backoff_base",
    "backoff_factor": "d.backoff_factor",
    "backoff_cap": "d.backoff_cap",
    "backoff_jitter": "d.backoff_jitter",
    "priority": "d.priority",
    "max_attempts": "d.max_attempts",
    "source": "'manual'",
}
_KEPT: Final = tuple(name for name in TEXTS if name not in ("queue", "source"))
_OPTIONS: Final = (
    *("scheduled_for", "queue_id", "timeout_seconds", "priority", "max_attempts", "source"),
    *("expires_at", "tags", "metadata"),
    *_KEPT,
)
_ROW: Final = ("seq", "id", "definition_id", "payload")
_ROWS: Final = "json_each(?) x cross join jobplane_definitions d on d.definition_id = x.value ->> 2"
kept: Final = attrgetter(*_KEPT)  # options that are kept as they are


def _insert(given: Mapping[str, str], rows: str) -> str:
    values = {**_OWN, **given}
    names, found = ", ".join(values), ", ".join(values.values())
    return f"insert into jobplane_jobs ({names}) select {found} from {rows}"  # noqa: S608 our names


def _place(names: tuple[str, ...]) -> dict[str, str]:
    return {name: f"x.value ->> {place}" for place, name in enumerate(names)}


_BATCH: Final = {"tenant_no": "?", "created_at": "?", "triggered_by": "?"}
ONE: Final = _insert(
    dict.fromkeys(("seq", "id", "tenant_no", "created_at", "triggered_by", "scheduled_for", "payload"), "?"),
    "jobplane_definitions d where d.definition_id = ?",
)
PLAIN: Final = _insert(_BATCH | {"scheduled_for": "?"} | _place(_ROW), _ROWS)
ANY: Final = _insert(_BATCH | _place((*_ROW, *_OPTIONS)), _ROWS)


def plain_facts(row: Row) -> tuple[object, ...]:
    """What PLAIN reads of a row."""
    return row.seq, row.id, row.policy.definition_id, row.payload


def facts(row: Row) -> tuple[object, ...]:
    """What ANY reads of a row: the same, then its options."""
    job, policy = row.job, row.policy
    return (
        *plain_facts(row),
        *(row.due, row.queue_id, policy.timeout_seconds if job.timeout_seconds is None else job.timeout_seconds),
        *(row.priority, policy.max_attempts if job.max_attempts is None else job.max_attempts, job.source or "manual"),
        row.expires_at,
        None if job.tags is None else dumps(list(job.tags)),
        None if job.metadata is None else encode_document(job.metadata, "metadata"),
        *kept(job),
    )
