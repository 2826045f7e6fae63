"""A claimed job as one row of text. A store writes it and whoever runs the job reads it; nobody between looks into it.

The fields are separated by tabs, in the order of the numbers below, and none of them has a tab or a newline:

    timeout_seconds may be empty. scheduled_for is microseconds since 1970 UTC. rest is empty or a JSON object with what
    few jobs have: artifact_ref, correlation_id, trace_context, source_ref, created_by, trigger_id, planned_at in
    microseconds since 1970, a priority other than 100, and under `undecodable` the names of what cannot be decoded,
    which is left out.

The payload is the last field and may have tabs. It may not be JSON: another program wrote it. It has no newline.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypedDict, cast
from uuid import UUID

import orjson
from pydantic_core import from_json

from jobplane.core.decoding import as_object
from jobplane.core.errors import InvalidPayload
from jobplane.core.model import Document
from jobplane.core.traces import trace_id

SEQ, ATTEMPT_NO, KEY, TIMEOUT, ATTEMPTS_LEFT, JOB_ID, TENANT_ID, SCHEDULED_FOR, SOURCE, REST, PAYLOAD = range(11)
USUAL_PRIORITY: Final = 100
RARE: Final = (
    "artifact_ref",
    "correlation_id",
    "trace_context",
    "source_ref",
    "created_by",
    "trigger_id",
    "planned_at",
)  # what few jobs have
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
SMALL: Final = 1024
_BREAKS: Final = re.compile(r"[\t\n]")


class _Rest(TypedDict, total=False):
    """Facts that few jobs have, each only if they have it."""

    artifact_ref: str
    correlation_id: str
    trace_context: str
    source_ref: str
    created_by: str
    trigger_id: str
    planned_at: int
    priority: int
    undecodable: list[str]


class ClaimedJob:
    """A job as its handler may know it. Nothing is decoded before somebody asks for it."""

    def __init__(self, row: bytes) -> None:
        self.fields = fields = row.split(b"\t", PAYLOAD)
        self.seq = int(fields[SEQ])

    @property
    def attempt_no(self) -> int:
        return int(self.fields[ATTEMPT_NO])

    @property
    def definition_key(self) -> str:
        return self.fields[KEY].decode()

    @property
    def timeout_seconds(self) -> int | None:
        return int(self.fields[TIMEOUT]) if self.fields[TIMEOUT] else None

    @property
    def attempts_left(self) -> int:
        """How many more attempts there are if this one fails."""
        return int(self.fields[ATTEMPTS_LEFT])

    @property
    def job_id(self) -> UUID:
        return UUID(self.fields[JOB_ID].decode())

    @property
    def tenant_id(self) -> UUID:
        return UUID(self.fields[TENANT_ID].decode())

    @property
    def scheduled_for(self) -> datetime:
        return _EPOCH + timedelta(microseconds=int(self.fields[SCHEDULED_FOR]))

    @property
    def trigger_id(self) -> UUID | None:
        found = self._rest().get("trigger_id")
        return None if found is None else UUID(found)

    @property
    def planned_at(self) -> datetime | None:
        """The planned time of the trigger that made it."""
        found = self._rest().get("planned_at")
        return None if found is None else _EPOCH + timedelta(microseconds=found)

    @property
    def source(self) -> str:
        return self.fields[SOURCE].decode()

    @property
    def source_ref(self) -> str | None:
        return self._rest().get("source_ref")

    @property
    def created_by(self) -> str | None:
        return self._rest().get("created_by")

    @property
    def artifact_ref(self) -> str | None:
        return self._rest().get("artifact_ref")

    @property
    def correlation_id(self) -> str | None:
        return self._rest().get("correlation_id")

    @property
    def trace_context(self) -> str | None:
        return self._rest().get("trace_context")

    @property
    def priority(self) -> int:
        return self._rest().get("priority", USUAL_PRIORITY)

    @property
    def undecodable(self) -> list[str]:
        """The fields that cannot be decoded, beside the payload."""
        return self._rest().get("undecodable", [])

    @property
    def payload(self) -> Document:
        """Raises InvalidPayload where it is no JSON object."""
        try:
            return as_object(from_json(self.fields[PAYLOAD], allow_inf_nan=False))
        except (ValueError, TypeError) as error:
            raise InvalidPayload(f"The payload cannot be decoded: {error}.", pointer="") from None

    def ids(self) -> dict[str, object]:
        """What names the attempt in each line of a log, out of texts."""
        job_id = self.fields[JOB_ID].decode()
        return {
            "job_id": job_id,
            "tenant_id": self.fields[TENANT_ID].decode(),
            "definition_key": self.definition_key,
            "attempt_no": self.attempt_no,
            "correlation_id": self.correlation_id,
            "trace_id": trace_id(job_id, self.trace_context),
        }

    def _rest(self) -> _Rest:
        return cast("_Rest", orjson.loads(self.fields[REST])) if self.fields[REST] else {}


def head_of(row: bytes) -> bytes:
    """The part of a row that is worth keeping beside a lease: all of a small one, else without its payload."""
    return row if len(row) < SMALL else b"\t".join([*row.split(b"\t", PAYLOAD)[:PAYLOAD], b""])


@dataclass(slots=True)
class JobFacts:
    """Everything in a row but the payload, as values. None: it cannot be decoded, or there is none."""

    seq: int
    attempt_no: int
    definition_key: str | None
    timeout_seconds: int | None
    attempts_left: int
    job_id: UUID | None
    tenant_id: UUID | None
    scheduled_for: datetime | None
    source: str | None
    priority: int = USUAL_PRIORITY
    artifact_ref: str | None = None
    correlation_id: str | None = None
    trace_context: str | None = None
    source_ref: str | None = None
    created_by: str | None = None
    trigger_id: UUID | None = None
    planned_at: datetime | None = None
    undecodable: tuple[str, ...] = ()


def encode(facts: JobFacts, payload: bytes) -> bytes:
    """The row of one job, whatever its values have in them."""
    head = (
        *(facts.seq, facts.attempt_no, facts.definition_key, facts.timeout_seconds, facts.attempts_left),
        *(facts.job_id, facts.tenant_id, _microseconds(facts.scheduled_for), facts.source),
        encode_rest(facts.priority, *(_plain(getattr(facts, name)) for name in RARE), undecodable=facts.undecodable),
    )
    flat = ("" if value is None else _BREAKS.sub(" ", str(value)) for value in head)
    return "\t".join(flat).encode() + b"\t" + payload.replace(b"\n", b"\r")  # to JSON the same: a space, or a fault


def _plain(value: object) -> Any:
    return _microseconds(value) if isinstance(value, datetime) else str(value) if isinstance(value, UUID) else value


def _microseconds(at: datetime | None) -> int | None:
    return None if at is None else (at - _EPOCH) // _MICROSECOND


def encode_plain(
    seq: int,
    attempt_no: int,
    definition_key: str,
    timeout_seconds: int | None,
    attempts_left: int,
    job_id: str,
    tenant_id: str,
    scheduled_for: int,
    source: str,
    rest: str,
    payload: str,
) -> str:
    """The same out of texts and numbers as a store has them, at a tenth of the cost; a text that is bytes raises."""
    timeout = "" if timeout_seconds is None else timeout_seconds
    return (
        f"{seq}\t{attempt_no}\t" + definition_key + f"\t{timeout}\t{attempts_left}\t" + job_id
        + "\t" + tenant_id + f"\t{scheduled_for}\t" + source + "\t" + rest + "\t" + payload
    )  # fmt: skip


def encode_rest(priority: int, *rare: str | int | None, undecodable: tuple[str, ...] = ()) -> str:
    """What few jobs have, as a JSON object or nothing; `rare` in the order of RARE."""
    rest: dict[str, Any] = {name: value for name, value in zip(RARE, rare, strict=True) if value is not None}
    if priority != USUAL_PRIORITY:
        rest["priority"] = priority
    if undecodable:
        rest["undecodable"] = undecodable
    return orjson.dumps(rest).decode() if rest else ""
