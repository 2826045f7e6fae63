"""enqueue: take jobs in, one answer for each, whatever the others are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from jobplane.core.admission import admit, is_plain
from jobplane.core.edits import WRONG_TIME
from jobplane.core.errors import Invalid, JobplaneError, TenantNotFound
from jobplane.core.ids import new_ids
from jobplane.core.model import Enqueued, NewJob
from jobplane.store.base import Conn
from jobplane.store.sqlite import actors, checks, statements
from jobplane.store.sqlite.moment import FIRST, LAST, Moment, due_time, micros
from jobplane.store.sqlite.verbs import facts, keys
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.faults import facts_fault
from jobplane.store.sqlite.verbs.lanes import Lane, find_tails
from jobplane.store.sqlite.verbs.rows import NOBODY, JobPolicy, Row
from jobplane.store.verbs.jobs import Enqueue

_MANY: Final = 10_000
_ONE: Final = statements.load_verb("enqueue")
_SQL: Final = statements.load_verb("enqueue_many")
_ABSENT: Final = 'There is no {} "{}". Check the spelling, or create it first.'


def enqueue(db: Conn, moment: Moment, verb: Enqueue) -> list[Enqueued]:
    tenant, by = checks.uuid(verb.tenant), actors.encoded(moment.actor)
    answers: list[Enqueued | Row] = [_admit(job) for job in verb.jobs]
    rows = [row for row in answers if isinstance(row, Row)]
    if len(rows) == 1 == len(answers) and (short := _enqueue_one(db, moment.now, tenant, by, rows[0])):
        return [short]
    found = db.rows(_ONE["tenant"], (tenant,))
    if not found:
        raise TenantNotFound("There is no such tenant.")
    if len(rows) > _MANY:
        raise Invalid(f"Cannot enqueue {len(rows)} jobs in one call. Enqueue at most {_MANY} at a time.")
    tenant_no, _, max_pending = found[0]
    _judge(db, rows, moment.now)
    _name(db, [row for row in rows if row.fault is None])
    keyed = max_pending is not None or not all(row.plain for row in rows)
    if keyed:
        keys.meet(db, tenant_no, rows, max_pending, moment.now)
    _write(db, moment.now, tenant_no, by, [row for row in rows if row.new])
    if keyed:
        keys.hold(db, tenant_no, rows)
    return [answer.answer() if isinstance(answer, Row) else answer for answer in answers]


def _enqueue_one(db: Conn, now: int, tenant: str, by: str, row: Row) -> Enqueued | None:
    """Enqueue one plain job with three statements. None: use the general path."""
    found = db.rows(_ONE["look"], (tenant, row.job.definition)) if row.plain else []
    if not found:
        return None
    number, step, definition_id, seq, last, v = found[0]
    job_id = new_ids(1)[0]
    end = v - 1 if last is None or last <= v else last
    db.rows(facts.ONE, (seq, job_id, number, now, by, now, row.payload, definition_id))
    db.rows(_SQL["ready_run"], (end, step, seq - 1, seq - 1, seq))
    return Enqueued(UUID(job_id), "created", None, None)


def _admit(job: NewJob) -> Enqueued | Row:
    try:
        payload = admit(job)
    except JobplaneError as error:
        return Enqueued(None, "refused", error.code, error.message)
    return Row(job, payload, is_plain(job))


def _judge(db: Conn, rows: Sequence[Row], now: int) -> None:
    """Set the policy of each row from its definition, or its fault."""
    named = db.rows(_ONE["definitions"], (batch({row.job.definition for row in rows}),)) if rows else []
    policies = {row[0]: _policy(row) for row in named}
    asked = {row.job.queue for row in rows if not row.plain and row.job.queue is not None}
    queues: dict[str, int] = dict(db.rows(_ONE["queues"], (batch(asked),))) if asked else {}
    for row in rows:
        row.policy = policies.get(row.job.definition, NOBODY)
        row.due = now
        if row.policy.active and row.plain:
            row.queue_id = row.policy.queue_id
        else:
            row.fault = _fault(row, queues, now)


def _policy(row: tuple[Any, ...]) -> JobPolicy:
    _, definition_id, queue_id, priority, timeout_seconds, max_attempts, active = row
    return JobPolicy(definition_id, queue_id, priority, timeout_seconds, max_attempts, bool(active))


def _fault(row: Row, queues: dict[str, int], now: int) -> tuple[str, str] | None:
    job, policy = row.job, row.policy
    if policy is NOBODY:
        return "unknown_definition", _ABSENT.format("definition", job.definition[:200])
    if not policy.active:
        return "definition_inactive", f'Definition "{job.definition}" is not active. Activate it, or use another.'
    if job.queue is not None and job.queue not in queues:
        return "unknown_queue", _ABSENT.format("queue", job.queue[:200])
    due = due_time(job.scheduled_for, job.delay_seconds, now)
    row.expires_at = None if job.expires_at is None else micros(job.expires_at)
    if due is None:
        return "invalid", WRONG_TIME
    if row.expires_at is not None and not FIRST <= row.expires_at < LAST:
        return "invalid", "The expires_at must be a time between the years 2000 and 9999."
    row.due, row.queue_id = due, policy.queue_id if job.queue is None else queues[job.queue]
    fault = facts_fault(job)
    return None if fault is None else ("invalid", fault)


def _name(db: Conn, rows: Sequence[Row]) -> None:
    """Give each row a seq and an id. A row that turns out to be a duplicate leaves a gap."""
    last = db.rows(_ONE["last"], ())
    start = last[0][0] if last else 0
    for number, (row, job_id) in enumerate(zip(rows, new_ids(len(rows)), strict=True), start + 1):
        row.seq, row.id = number, job_id if row.job.id is None else str(row.job.id)


def _write(db: Conn, now: int, tenant: int, by: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    if all(row.plain for row in rows):
        db.rows(facts.PLAIN, (tenant, now, by, now, batch(map(facts.plain_facts, rows))))
    else:
        db.rows(facts.ANY, (tenant, now, by, batch(map(facts.facts, rows))))
    _stand(db, tenant, [row for row in rows if row.due <= now])
    if later := [row.seq for row in rows if row.due > now]:
        db.rows(_SQL["upcoming"], (batch(later),))
    if expiring := [(row.expires_at, row.seq) for row in rows if row.expires_at is not None]:
        db.rows(_SQL["expiring"], (batch(expiring),))


def _stand(db: Conn, tenant: int, rows: Sequence[Row]) -> None:
    """Into ready, each behind its tenant's last row of the same lane."""
    if not rows:
        return
    lanes: list[Lane] = [(tenant, row.queue_id, row.priority) for row in rows]
    tails = find_tails(db, set(lanes))
    first, last = rows[0].seq, rows[-1].seq
    if len(tails) == 1 and last - first + 1 == len(rows):
        end, step = tails[lanes[0]]
        db.rows(_SQL["ready_run"], (end, step, first - 1, first - 1, last))
        return
    tags: list[tuple[int, int]] = []
    for row, lane in zip(rows, lanes, strict=True):
        end, step = tails[lane]
        tails[lane] = end + step, step
        tags.append((row.seq, end + step))
    db.rows(_SQL["ready"], (batch(tags),))
