"""What a tenant may do to its jobs, as the specification has it: enqueue, cancel, retry, reschedule, edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from jobplane.core.lifecycle import MOVES
from jobplane.core.model import Document, JobStatus, NewJob, OnDuplicate
from tests.model.life import WAITING, Life, Place
from tests.model.plane import Plane


class Answer(NamedTuple):
    """What became of one row of an enqueue."""

    outcome: str
    life: Life | None
    error_code: str | None = None


class Receipt(NamedTuple):
    life: Life
    payload: Document


@dataclass
class Jobs(Plane):
    refused: dict[tuple[UUID, str, str], Answer] = field(default_factory=dict[tuple[UUID, str, str], Answer])
    receipts: dict[tuple[UUID, str, str], Receipt] = field(default_factory=dict[tuple[UUID, str, str], Receipt])

    def enqueue(self, tenant: UUID, rows: Sequence[NewJob]) -> list[Answer]:
        """A batch is its rows one after another; a row may change one of its own batch before that is written."""
        batch: list[Life] = []
        self.refused = {}
        return [self._enqueue(tenant, row, batch) for row in rows]

    def _enqueue(self, tenant: UUID, row: NewJob, batch: list[Life]) -> Answer:
        if not self.definitions[row.definition].active:
            return Answer("refused", None, "definition_inactive")
        if row.id is not None and (there := self.find(tenant, row.id)):
            return Answer("existing", there)
        name = (tenant, row.definition, row.idempotency_key or "")
        if row.idempotency_key is not None and (receipt := self.receipts.get(name)):
            if receipt.payload == row.payload:
                return Answer("existing", receipt.life)
            return Answer("refused", receipt.life, "idempotency_mismatch")
        if row.idempotency_key is not None and (answer := self.refused.get(name)):
            return answer  # a row that repeats one of its batch shares its refusal
        answer = self._meet(tenant, row, batch)
        if row.idempotency_key is None or answer.life is None:
            return answer
        if answer.outcome == "refused":
            self.refused[name] = answer
        else:
            self.receipts[name] = Receipt(answer.life, row.payload)
        return answer

    def _meet(self, tenant: UUID, row: NewJob, batch: list[Life]) -> Answer:
        """Make the job, unless an active one has its dedupe key."""
        if row.dedupe_key is not None and (holder := self.holder(tenant, row.dedupe_key)):
            if holder.definition != row.definition and row.on_duplicate in (OnDuplicate.REPLACE, OnDuplicate.POSTPONE):
                return Answer("refused", holder, "duplicate_job")
            return Answer(self._duplicate(row, holder, fresh=any(holder is life for life in batch)), holder)
        most = self.tenants[tenant].max_pending
        if most is not None and sum(life.active for life in self.of(tenant)) >= most:
            return Answer("refused", None, "quota_exceeded")
        life = self._born(tenant, row)
        batch.append(life)
        self.lives.append(life)
        return Answer("created", life)

    def holder(self, tenant: UUID, dedupe_key: str) -> Life | None:
        """The active job that has a dedupe key; a job that has ended holds none."""
        return next((life for life in self.of(tenant) if life.active and life.dedupe_key == dedupe_key), None)

    def _duplicate(self, row: NewJob, holder: Life, *, fresh: bool) -> str:
        if holder.place not in WAITING or row.on_duplicate in (None, OnDuplicate.RETURN):
            return "existing"
        at = self._due(row)
        if row.on_duplicate is OnDuplicate.REPLACE:
            holder.payload, at = row.payload, holder.due_at
        if fresh:
            holder.planned_for = at
        due = fresh and at <= self.now
        holder.changed_at = self.now
        holder.wait(Place.READY if due else Place.UPCOMING, at)
        return "replaced" if row.on_duplicate is OnDuplicate.REPLACE else "postponed"

    def _due(self, row: NewJob) -> datetime:
        return row.scheduled_for or self.now + timedelta(seconds=row.delay_seconds or 0)

    def _born(self, tenant: UUID, row: NewJob) -> Life:
        policy, at = self.definitions[row.definition], self._due(row)
        most = policy.max_attempts if row.max_attempts is None else row.max_attempts
        return Life(
            id=row.id,
            tenant_id=tenant,
            definition=row.definition,
            queue=row.queue or policy.queue,
            priority=policy.priority if row.priority is None else row.priority,
            payload=row.payload,
            dedupe_key=row.dedupe_key,
            idempotency_key=row.idempotency_key,
            created_at=self.now,
            planned_for=at,
            expires_at=row.expires_at,
            max_attempts=most,
            timeout_seconds=policy.timeout_seconds if row.timeout_seconds is None else row.timeout_seconds,
            backoff=policy.backoff,
            place=Place.READY if at <= self.now else Place.UPCOMING,
            due_at=at,
            must_start_by=row.expires_at,
            attempts_left=most,
        )

    def cancel(self, life: Life, reason: str | None) -> str:
        """At once if it waits, a request if it runs; the first request's reason stays."""
        if life.place in WAITING:
            life.end(JobStatus.CANCELED, self.now, reason)
            return "canceled"
        if life.run is None:
            return "ended"
        if life.run.cancel_requested_at is None:
            life.run.cancel_requested_at, life.run.cancel_reason = self.now, reason
        return "requested"

    def retry(self, life: Life, max_attempts: int | None) -> str:
        """A fresh budget for a job that has ended, but not well."""
        most = self.tenants[life.tenant_id].max_pending
        if life.status not in MOVES["retry"][0]:
            return "illegal_move"
        if not self.definitions[life.definition].active:
            return "definition_inactive"
        if most is not None and sum(other.active for other in self.of(life.tenant_id)) >= most:
            return "quota_exceeded"
        if life.dedupe_key is not None and self.holder(life.tenant_id, life.dedupe_key):
            return "duplicate_job"
        life.max_attempts = life.attempts_left = max_attempts or life.max_attempts
        life.interruptions, life.alone, life.must_start_by = 0, False, None
        life.status_at_end = life.finished_at = life.reason = None
        life.changed_at = self.now
        life.wait(Place.UPCOMING, self.now)
        return "queued"

    def reschedule(self, life: Life, delay_seconds: float) -> str:
        if life.place not in WAITING:
            return "illegal_move"
        life.changed_at = self.now
        life.wait(Place.UPCOMING, self.now + timedelta(seconds=delay_seconds))
        return "queued"

    def edit(self, life: Life, changes: Mapping[str, object]) -> str:
        """Change a waiting job; more attempts are more left, and fewer leave one at least."""
        if life.place not in WAITING:
            return "illegal_move"
        before = life.max_attempts
        for name, value in changes.items():
            setattr(life, name, value)
        life.attempts_left = max(life.attempts_left + life.max_attempts - before, 1)
        life.must_start_by = life.expires_at if life.attempt_no == 0 else None
        life.changed_at = self.now
        life.wait(Place.UPCOMING)
        return "queued"
