"""A job as the specification knows it: its facts, where it stands, and what a reader must see of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import Final
from uuid import UUID

from jobplane.core.actors import Actor
from jobplane.core.lifecycle import Leased
from jobplane.core.model import Attempt, Backoff, Document, Job, JobStatus, Json
from tests.leases import Held

Gate = tuple[str, ...]  # ("t", tenant), ("d", definition), ("dt", definition, tenant) or ("w", definition)

CALLER: Final = Actor("key", "model", "The model")  # of every enqueue
LIMITS: Final = {"tenant_limit": "t", "definition_limit": "d", "definition_tenant_limit": "dt"}
UNKNOWN: Final = dict.fromkeys(("no_worker", "unbound", "policy_mismatch"), "w")
GATES: Final = {**LIMITS, "tenant_paused": "t", "definition_inactive": "d", **UNKNOWN}


class Place(Enum):
    READY = auto()
    HELD = auto()
    UPCOMING = auto()
    LEASED = auto()
    ENDED = auto()


WAITING: Final = frozenset({Place.READY, Place.HELD, Place.UPCOMING})


@dataclass
class Run:
    """The lease of a running job, and the limits that count it."""

    lease: Held
    worker_id: str
    started_at: datetime
    lease_expires_at: datetime
    counted_by: set[Gate]
    begun: bool
    renewed_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    cancel_reason: str | None = None
    progress: float | None = None


@dataclass
class Life:
    """One job from its enqueue on; enqueued for `planned_for`, it waits now for `due_at`."""

    id: UUID | None
    tenant_id: UUID
    definition: str
    queue: str
    priority: int
    payload: Document
    dedupe_key: str | None
    idempotency_key: str | None
    created_at: datetime
    planned_for: datetime
    expires_at: datetime | None
    max_attempts: int
    timeout_seconds: int | None
    backoff: Backoff
    place: Place
    due_at: datetime
    must_start_by: datetime | None
    attempts_left: int
    attempt_no: int = 0
    interruptions: int = 0
    alone: bool = False
    held_by: str | None = None
    run: Run | None = None
    status_at_end: JobStatus | None = None
    finished_at: datetime | None = None
    reason: str | None = None
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    result: Json = None
    changed_at: datetime | None = None

    @property
    def status(self) -> JobStatus:
        if self.place in WAITING:
            return JobStatus.QUEUED
        return self.status_at_end or JobStatus.RUNNING

    @property
    def active(self) -> bool:
        return self.place is not Place.ENDED

    @property
    def gate(self) -> Gate:
        """The gate that holds it, by the reason that a reader sees."""
        return self.gate_called(GATES[self.held_by or ""])

    def gate_called(self, kind: str) -> Gate:
        about = {"t": (str(self.tenant_id),), "dt": (self.definition, str(self.tenant_id))}
        return (kind, *about.get(kind, (self.definition,)))

    def wait(self, place: Place, due_at: datetime | None = None) -> None:
        self.place = place
        self.held_by = None
        self.due_at = due_at or self.due_at

    def end(self, status: JobStatus, at: datetime, reason: str | None) -> None:
        self.place, self.run, self.held_by = Place.ENDED, None, None
        self.status_at_end, self.finished_at, self.reason = status, at, reason

    def leased(self) -> Leased:
        """What the rule of the outcomes has to know of it."""
        assert self.run is not None
        asked = self.run.cancel_requested_at is not None
        return Leased(
            self.attempts_left,
            self.max_attempts,
            self.interruptions,
            asked,
            self.run.cancel_reason,
            self.backoff,
            self.alone,
        )

    def shown_attempts(self) -> list[Attempt]:
        """The newest first; the one that runs is among them."""
        return [*self._running(), *reversed(self.attempts)]

    def _running(self) -> list[Attempt]:
        if (run := self.run) is None:
            return []
        return [
            Attempt(
                attempt_no=self.attempt_no,
                status="running",
                outcome=None,
                worker_id=run.worker_id,
                scheduled_for=self.due_at,
                started_at=run.started_at,
                finished_at=None,
                exit_code=None,
                reason=None,
                error=None,
                progress=run.progress,
                progress_message=None,
                led_to=None,
            )
        ]

    def shown(self) -> Job:
        """The whole job, as every reader must see it."""
        assert self.id is not None
        run, last = self.run, self.attempts[-1] if self.attempts else None
        first = self.attempts[0].started_at if self.attempts else None
        latest = run or (None if self.active else last)
        return Job(
            id=self.id,
            tenant_id=self.tenant_id,
            definition_key=self.definition,
            queue=self.queue,
            status=self.status,
            priority=self.priority,
            payload=self.payload,
            source="manual",
            source_ref=None,
            correlation_id=None,
            created_by=None,
            trace_context=None,
            artifact_ref=None,
            dedupe_key=self.dedupe_key,
            idempotency_key=self.idempotency_key,
            tags=[],
            metadata={},
            created_at=self.created_at,
            scheduled_for=self.due_at if self.active else last.scheduled_for if last else self.planned_for,
            expires_at=self.expires_at,
            started_at=latest.started_at if latest else None,
            first_started_at=first or (run.started_at if run else None),
            finished_at=self.finished_at,
            attempt_no=self.attempt_no,
            attempts=self.max_attempts - self.attempts_left,
            max_attempts=self.max_attempts,
            timeout_seconds=self.timeout_seconds,
            worker_id=latest.worker_id if latest else None,
            lease_expires_at=run.lease_expires_at if run else None,
            cancel_requested_at=run.cancel_requested_at if run else None,
            cancel_reason=run.cancel_reason if run else None,
            held_by=self.held_by,
            reason=self.reason,
            error=last.error if last else None,
            progress=self._progress(),
            progress_message=None,
            result=self.result,
            canceled_at=self.finished_at if self.status is JobStatus.CANCELED else None,
            trigger_id=None,
            planned_at=None,
            triggered_by=CALLER.document,
            updated_at=self._updated_at(),
        )

    def _updated_at(self) -> datetime:
        """The time of the last change: a job that waits for nothing but a worker has changed when it came due."""
        moves = [self.created_at, self.changed_at, self.finished_at]
        if self.place in (Place.READY, Place.HELD):
            moves.append(self.due_at)
        if self.run:
            moves += [self.run.started_at, self.run.renewed_at, self.run.cancel_requested_at]
        if self.attempts:
            moves.append(self.attempts[-1].finished_at)
        return max(at for at in moves if at is not None)

    def _progress(self) -> float | None:
        if self.status is JobStatus.SUCCEEDED:
            return 1
        last = self.run or (self.attempts[-1] if self.attempts else None)
        return last.progress if last else None
