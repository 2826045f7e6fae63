"""Which jobs a test means, and what it is told where there are none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypedDict, cast
from uuid import UUID

from pydantic_core import to_jsonable_python

from jobplane.core.bounds import show
from jobplane.core.model import Job, Json

_SHOWN: Final = 20
_PUNCTUAL: Final = timedelta(seconds=1)
_TIMES: Final = frozenset({"scheduled_for", "created_at"})


class Facts(TypedDict, total=False):
    """What may be said of a job beside its definition and payload, as in `.options(…)`."""

    tenant: UUID | str
    queue: str
    priority: int
    scheduled_for: datetime
    delay: float | timedelta
    expires_at: datetime
    dedupe_key: str
    idempotency_key: str
    correlation_id: str
    tags: Sequence[str]
    metadata: Mapping[str, object]
    source: str
    source_ref: str
    created_by: str
    trace_context: str
    artifact_ref: str
    max_attempts: int
    timeout_seconds: int | None


_KNOWN: Final = Facts.__annotations__.keys()


class Wanted:
    """A description of jobs. Of a payload, metadata and tags it names a part; everything else is exact."""

    def __init__(self, key: str, payload: Mapping[str, object] | None, facts: Facts, slugs: Mapping[UUID, str]) -> None:
        if unknown := sorted(set(facts) - _KNOWN):
            raise TypeError(f"Unknown fact {show(unknown[0])}. Use one of {', '.join(_KNOWN)}.")
        self._key = key
        self._payload = cast("Mapping[str, Json]", to_jsonable_python(payload or {}))
        self._facts = cast("Mapping[str, object]", facts)
        self._slugs = slugs

    def misses(self, job: Job) -> list[str]:
        """In what a job differs; nothing where it is meant."""
        found = [] if job.definition_key == self._key else [f"it is {job.definition_key}"]
        found += [f"{name} cannot be decoded" for name in job.undecodable]
        found += _find_missing(self._payload, job.payload, "payload")
        for name, value in self._facts.items():
            found += self._differs(job, name, value)
        return found

    def describe(self, jobs: Sequence[Job], headline: str) -> str:
        """The message of a failure: what was meant, and what there is, the nearest first."""
        nearest = sorted(jobs, key=lambda job: (job.definition_key != self._key, len(self.misses(job))))
        lines = [f"{headline} {self._show()}.", "", _how_many(len(jobs))]
        for job in nearest[:_SHOWN]:
            lines.append(f"  {self._describe_job(job)}")
            lines += [f"      {miss}" for miss in self.misses(job)]
        return "\n".join(lines if len(jobs) <= _SHOWN else [*lines, f"  and {len(jobs) - _SHOWN} more"])

    def _differs(self, job: Job, name: str, wanted: object) -> list[str]:
        match name:
            case "tenant":
                return [] if wanted in (job.tenant_id, self._slug(job)) else [f"tenant is {self._slug(job)}"]
            case "delay":
                return _late(job, cast("float | timedelta", wanted))
            case "metadata":
                return _find_missing(cast("Json", to_jsonable_python(wanted)), job.metadata, "metadata")
            case "tags":
                lacking = [tag for tag in cast("Sequence[str]", wanted) if tag not in (job.tags or ())]
                return [f"tags lack {', '.join(lacking)}"] if lacking else []
            case _:
                found: object = getattr(job, name)
                return [] if found == wanted else [f"{name} is {_text(found)}, not {_text(wanted)}"]

    def _slug(self, job: Job) -> str:
        return self._slugs.get(job.tenant_id, str(job.tenant_id))

    def _show(self) -> str:
        facts = "".join(f" {name}={_text(value)}" for name, value in self._facts.items())
        return f"{self._key} {json.dumps(self._payload)}{facts}"

    def _describe_job(self, job: Job) -> str:
        named = ("dedupe_key", "idempotency_key", "correlation_id")
        facts = {"tenant": self._slug(job), "queue": job.queue, "priority": job.priority}
        facts |= {name: value for name in named if (value := getattr(job, name)) is not None}
        is_due = not _TIMES.isdisjoint(job.undecodable) or job.scheduled_for <= job.created_at
        due = "" if is_due else f" due {job.scheduled_for:%Y-%m-%d %H:%M:%S}Z"
        return f"{job.definition_key} {json.dumps(job.payload)} {' '.join(f'{k}={v}' for k, v in facts.items())}{due}"


def _how_many(number: int) -> str:
    if not number:
        return "Nothing is enqueued."
    return "One job is enqueued:" if number == 1 else f"{number} jobs are enqueued:"


def _find_missing(wanted: Json, found: Json, path: str) -> list[str]:
    """Where a part is not in the whole: objects may have more members, all else is the same."""
    if not isinstance(wanted, Mapping) or not isinstance(found, Mapping):
        return [] if wanted == found else [f"{path} is {_text(found)}, not {_text(wanted)}"]
    misses: list[str] = []
    for name, value in wanted.items():
        inner = f"{path}.{name}"
        misses += _find_missing(value, found[name], inner) if name in found else [f"{inner} is not there"]
    return misses


def _late(job: Job, delay: float | timedelta) -> list[str]:
    """A delay counts from the enqueue, by the database's clock."""
    if not _TIMES.isdisjoint(job.undecodable):
        return ["delay is not known"]
    wanted = delay if isinstance(delay, timedelta) else timedelta(seconds=delay)
    found = job.scheduled_for - job.created_at
    is_near = abs(found - wanted) <= _PUNCTUAL
    return [] if is_near else [f"delay is {found.total_seconds():g} s, not {wanted.total_seconds():g} s"]


def _text(value: object) -> str:
    return json.dumps(to_jsonable_python(value), ensure_ascii=False)
