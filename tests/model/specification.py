"""What every verb does to a job, in plain Python: the specification that each store is held to.

A verb here returns what the store must answer. Where a store may choose (which jobs a claim takes, which of those that
wait for a slot get it), it says in `choices` how many of them, and the comparison follows the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from jobplane.core.lifecycle import MOVES, decide
from jobplane.core.model import (
    Attempt,
    Document,
    JobStatus,
    Lease,
    NewJob,
    OnDuplicate,
    Outcome,
    Settlement,
)
from tests.model.life import LIMITS, WAITING, Gate, Life, Place
from tests.model.plane import Plane

DAY = timedelta(days=1)


class Answer(NamedTuple):
    """What became of one row of an enqueue."""

    outcome: str
    life: Life | None
    error_code: str | None = None


class Receipt(NamedTuple):
    life: Life
    payload: Document


class Bounds(NamedTuple):
    """How many of those whom a gate holds come back."""

    least: int
    most: int


@dataclass
class Specification(Plane):
    receipts: dict[tuple[UUID, str, str], Receipt] = field(default_factory=dict[tuple[UUID, str, str], Receipt])
    choices: dict[Gate, Bounds] = field(default_factory=dict[Gate, Bounds])

    # A tenant's jobs

    def enqueue(self, tenant: UUID, rows: Sequence[NewJob]) -> list[Answer]:
        """A batch is its rows one after another; a row may change one of its own batch before that is written."""
        batch: list[Life] = []
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
        answer = self._meet(tenant, row, batch)
        if row.idempotency_key is not None and answer.life is not None:
            self.receipts[name] = Receipt(answer.life, row.payload)
        return answer

    def _meet(self, tenant: UUID, row: NewJob, batch: list[Life]) -> Answer:
        """Make the job, unless an active one has its dedupe key."""
        if row.dedupe_key is not None and (holder := self.holder(tenant, row.dedupe_key)):
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
        life.wait(Place.UPCOMING, self.now)
        return "queued"

    def reschedule(self, life: Life, delay_seconds: float) -> str:
        if life.place not in WAITING:
            return "illegal_move"
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
        life.wait(Place.UPCOMING)
        return "queued"

    # Leases

    def owner(self, lease: Lease) -> Life | None:
        """The job whose lease this still is."""
        life = self.find(lease.tenant_id, lease.job_id)
        return life if life and life.run and life.run.lease.token == lease.token else None

    def renew(self, lease: Lease, lease_seconds: int, progress: float | None) -> str:
        life = self.owner(lease)
        if life is None or life.run is None:
            return "gone"
        life.run.lease_expires_at = self.now + timedelta(seconds=lease_seconds)
        life.run.progress = life.run.progress if progress is None else progress
        return "renewed" if life.run.cancel_requested_at is None else "cancel"

    def settle(self, settlements: Sequence[Settlement], max_interruptions: int = 20) -> list[tuple[bool, str]]:
        """Whether each is accepted, and the job's status then; a repeat gets the same answer."""
        freed: Counter[Gate] = Counter()
        answers = [self._settle(settlement, max_interruptions, freed) for settlement in settlements]
        self.choices = {gate: self._offered(gate, slots) for gate, slots in freed.items()}
        return answers

    def _settle(self, said: Settlement, max_interruptions: int, freed: Counter[Gate]) -> tuple[bool, str]:
        life = self.owner(said.lease)
        if life is None or life.run is None:
            return self._repeated(said)
        freed.update(life.run.counted_by)
        ending = decide(
            life.leased(),
            said.outcome,
            reason=said.reason,
            retry_after=said.retry_after,
            dice=self.dice,
            max_interruptions=max_interruptions,
        )
        self._record(life, said, ending.status)
        life.attempts_left, life.interruptions, life.alone = ending.attempts_left, ending.interruptions, ending.alone
        life.run = None
        if ending.delay_seconds is None:
            life.result = said.result if ending.status is JobStatus.SUCCEEDED else None
            life.end(ending.status, self.now, ending.reason)
        else:
            life.must_start_by = None
            life.wait(Place.UPCOMING, self.now + timedelta(seconds=ending.delay_seconds))
        return True, ending.status

    def _repeated(self, said: Settlement) -> tuple[bool, str]:
        life = self.find(said.lease.tenant_id, said.lease.job_id)
        for attempt in life.attempts if life else ():
            if attempt.attempt_no == said.lease.attempt_no and attempt.outcome == said.outcome and attempt.led_to:
                return True, attempt.led_to
        return False, "stale"

    def _record(self, life: Life, said: Settlement, led_to: JobStatus) -> None:
        run = life.run
        assert run is not None
        life.attempts.append(
            Attempt(
                attempt_no=life.attempt_no,
                status="failed" if said.outcome is Outcome.FATAL else said.outcome,
                outcome=said.outcome,
                worker_id=run.worker_id,
                scheduled_for=life.due_at,
                started_at=run.started_at,
                finished_at=self.now,
                exit_code=said.exit_code,
                reason=said.reason,
                error=said.error,
                progress=run.progress if said.progress is None else said.progress,
                progress_message=None,
                led_to=led_to,
            )
        )

    def _offered(self, gate: Gate, slots: int) -> Bounds:
        """Free slots go to those who wait for them; whom a pause holds may be let back too, the claim looks again."""
        held = [life for life in self.at(Place.HELD) if life.gate == gate]
        most = min(slots, len(held))
        return Bounds(most if any(life.held_by in LIMITS for life in held) else 0, most)

    # Upkeep

    def promote(self) -> int:
        due = [life for life in self.at(Place.UPCOMING) if life.due_at <= self.now]
        for life in due:
            life.wait(Place.READY)
        return len(due)

    def reap(self) -> int:
        """Settle as lost for workers that are gone."""
        late = [life.run.lease for life in self.lives if life.run and life.run.lease_expires_at < self.now]
        self.settle([Settlement(lease=lease, outcome=Outcome.LOST, reason="lease_expired") for lease in late])
        return len(late)

    def expire(self) -> int:
        """Cancel what did not start in time; what has started once may go on trying."""
        late = [life for life in self.lives if life.place in WAITING and self.expired(life)]
        for life in late:
            life.end(JobStatus.CANCELED, self.now, "expired")
        return len(late)

    def sweep(self, *gates: Gate) -> int:
        """Every gate that has room (or each of those named) lets as many back as it has room for."""
        held = Counter(life.gate for life in self.at(Place.HELD))
        free = {gate: min(self.room(gate), n) for gate, n in held.items() if not gates or gate in gates}
        self.choices = {gate: Bounds(n, n) for gate, n in free.items()}
        return sum(free.values())

    def tidy(self) -> None:
        self.workers = {name: hand for name, hand in self.workers.items() if hand.seen_at >= self.now - DAY}
