"""One row of an enqueue on its way: what was asked for, what its definition adds, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from jobplane.core.decoding import FAULTS
from jobplane.core.model import Enqueued, NewJob, OnDuplicate


@dataclass(frozen=True, slots=True)
class JobPolicy:
    """What a definition gives its jobs."""

    definition_id: int
    queue_id: int
    priority: int
    timeout_seconds: int | None
    max_attempts: int
    active: bool


# A key leads to a job whose own id cannot be decoded.
_NAMELESS: Final = (
    "duplicate_job",
    "The job that has this key has an id that cannot be decoded. Repair it in the database, or use another key.",
)
NOBODY: Final = JobPolicy(0, 0, 0, None, 0, active=False)  # until the definition is found


@dataclass(slots=True, eq=False)
class Row:
    """A job that is asked for. `outcome` is None as long as it is to be made."""

    job: NewJob
    payload: str
    plain: bool
    policy: JobPolicy = NOBODY
    queue_id: int = 0
    due: int = 0
    expires_at: int | None = None
    fault: tuple[str, str] | None = None
    id: str = ""
    seq: int = 0
    outcome: str | None = None
    found: str | None = None
    receipt: tuple[int, str, str] | None = None  # definition, key, fingerprint: a new one, to be written
    holder: int | None = None  # the job that holds the dedupe key, where it is another

    @property
    def new(self) -> bool:
        return self.outcome is None and self.fault is None

    @property
    def on_duplicate(self) -> OnDuplicate:
        return OnDuplicate(self.job.on_duplicate or OnDuplicate.RETURN)

    @property
    def priority(self) -> int:
        return self.policy.priority if self.job.priority is None else self.job.priority

    def refuse(self, code: str, message: str, found: str | None = None) -> None:
        self.fault, self.found = (code, message), found

    def met(self, found: str, outcome: str) -> None:
        """There is a job already."""
        self.found, self.outcome = found, outcome

    def answer(self) -> Enqueued:
        job_id = _parse_uuid(self.found or self.id)
        if self.fault is not None:
            return Enqueued(job_id if self.found else None, "refused", *self.fault)
        if job_id is None:
            return Enqueued(None, "refused", *_NAMELESS)
        return Enqueued(job_id, self.outcome or "created", None, None)


def _parse_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except FAULTS:
        return None
