"""What a person may do to jobs: cancel, retry, reschedule."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.admission import require_instant
from jobplane.core.edits import WRONG_TIME
from jobplane.core.errors import Invalid
from jobplane.core.model import Document, JobStatus, Moved
from jobplane.core.payload import storable
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import MAX_DELAY, Moment, due_time, instant
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.keys import pending_room
from jobplane.store.sqlite.verbs.lanes import end_waiting, put_off
from jobplane.store.verbs.jobs import Cancel, Reschedule, RetryJobs

_AGAIN: Final = ("failed", "dead_letter", "canceled")
S = JobStatus


def tenant_no(db: Conn, tenant: UUID) -> int:
    """The number of a tenant inside; 0, which nobody has, for one that is not there."""
    rows = db.rows(statements.load_shared("describe")["tenant"], (checks.uuid(tenant),))
    return rows[0][0] if rows else 0


def states(db: Conn, tenant: UUID, ids: Sequence[str]) -> dict[str, tuple[int, JobStatus]]:
    """Seq and status of each job that is there, by its id."""
    rows = db.rows(statements.load_shared("describe")["states"], (batch(set(ids)), tenant_no(db, tenant)))
    return {job_id: (seq, S(status)) for seq, job_id, status in rows}


def cancel(db: Conn, moment: Moment, verb: Cancel) -> list[Moved]:
    """An id that is named twice is answered twice: the second time it has ended."""
    found = states(db, verb.tenant, checks.uuids(verb.ids))
    why = storable(verb.reason)
    if waiting := [seq for seq, status in found.values() if status is S.QUEUED]:
        end_waiting(db, waiting, moment.now, why)
    asked: list[int] = []
    if running := [seq for seq, status in found.values() if status is S.RUNNING]:
        asked = [row[0] for row in db.rows(statements.load_verb("cancel")["ask"], (why, moment.now, batch(running)))]
    done = {*waiting, *asked}
    facts: Document = {} if why is None else {"reason": why[:1000]}
    _audit(db, moment, "cancelJob", verb.tenant, [job for job, (seq, _) in found.items() if seq in done], facts)
    moved: list[Moved] = []
    for job_id in verb.ids:
        seq, status = found.get(str(job_id), (0, None))
        moved.append(_answer_cancel(job_id, status))
        if status is S.QUEUED:
            found[str(job_id)] = seq, S.CANCELED
    return moved


def _audit(db: Conn, moment: Moment, action: str, tenant: UUID, done: Sequence[str], facts: Document) -> None:
    if done:
        audit(db, moment, action, tenant_no(db, tenant), done, facts=facts)


def _answer_cancel(job_id: UUID, status: JobStatus | None) -> Moved:
    match status:
        case None:
            return Moved(job_id, "not_found", None)
        case S.QUEUED:
            return Moved(job_id, "canceled", S.CANCELED)
        case S.RUNNING:
            return Moved(job_id, "requested", S.RUNNING)
        case S.SUCCEEDED | S.FAILED | S.DEAD_LETTER | S.CANCELED:
            return Moved(job_id, "ended", status)


def reschedule(db: Conn, moment: Moment, verb: Reschedule) -> list[Moved]:
    named = checks.uuids(verb.ids)
    due = _due(verb.at, verb.delay_seconds, moment.now)
    found = states(db, verb.tenant, named)
    if waiting := [seq for seq, status in found.values() if status is S.QUEUED]:
        put_off(db, waiting, due, moment.now)
    done = [job_id for job_id, (_, status) in found.items() if status is S.QUEUED]
    _audit(db, moment, "rescheduleJob", verb.tenant, sorted(done), {"scheduled_for": _written(due)})
    return [_answer_reschedule(job_id, found.get(str(job_id), (0, None))[1]) for job_id in sorted(set(verb.ids))]


def _written(at: int) -> str:
    return instant(at).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _due(at: datetime | None, delay_seconds: float | None, now: int) -> int:
    if at is not None:
        require_instant("at", at)
    elif delay_seconds is not None:
        bounds.number("delay_seconds", delay_seconds, 0, MAX_DELAY)
    due = due_time(at, delay_seconds, now)
    if due is None:
        raise Invalid(WRONG_TIME)
    return due


def _answer_reschedule(job_id: UUID, status: JobStatus | None) -> Moved:
    if status is None:
        return Moved(job_id, "not_found", None)
    return Moved(job_id, "queued" if status is S.QUEUED else "illegal_move", status)


def retry(db: Conn, moment: Moment, verb: RetryJobs) -> list[Moved]:
    """One by one in the order of the ids, because one may take the room or the key of the next."""
    named = checks.uuids(verb.ids)
    budget = checks.whole_or_none("max_attempts", verb.max_attempts, 1, 1000)
    sql = statements.load_verb("retry")
    number, max_pending = next(iter(db.rows(sql["tenant"], (checks.uuid(verb.tenant),))), (0, None))
    jobs = {row[0]: row[1:] for row in db.rows(sql["jobs"], (batch(set(named)), number))}
    room = None if max_pending is None else pending_room(db, number, max_pending)
    judge = _Judge(room)
    status = {job_id: found for job_id, (_, found) in states(db, verb.tenant, named).items()}
    moved = [judge.move(job_id, jobs.get(str(job_id)), status.get(str(job_id))) for job_id in sorted(set(verb.ids))]
    if judge.again:
        seqs = batch(seq for seq, _ in judge.again)
        db.rows(sql["leave"], (number, seqs))
        db.rows(sql["upcoming"], (moment.now, budget, batch(judge.again)))
        db.rows(sql["hold"], (seqs,))
        db.rows(sql["change"], (budget, moment.now, seqs))
    done = [str(answer.job_id) for answer in moved if answer.outcome == "queued"]
    _audit(db, moment, "retryJob", verb.tenant, done, {} if budget is None else {"max_attempts": budget})
    return moved


class _Judge:
    """Which of several jobs may start again; `again` has their seqs and the attempts they made."""

    def __init__(self, room: int | None) -> None:
        self._room = room
        self._keys: set[str] = set()
        self.again: list[tuple[int, int]] = []

    def move(self, job_id: UUID, job: tuple[Any, ...] | None, status: JobStatus | None) -> Moved:
        if job is None or status is None:
            return Moved(job_id, "not_found", None)
        outcome = self._outcome(job, status)
        return Moved(job_id, outcome, S.QUEUED if outcome == "queued" else status)

    def _outcome(self, job: tuple[Any, ...], status: JobStatus) -> str:
        seq, _, dedupe_key, active, _, attempt_no, holder, has_queue = job
        if status not in _AGAIN:
            return "illegal_move"
        if not active:
            return "definition_inactive"
        if not has_queue:
            return "unknown_queue"
        if self._room is not None and self._room < 1:
            return "quota_exceeded"
        if dedupe_key is not None and (holder is not None or dedupe_key in self._keys):
            return "duplicate_job"
        if dedupe_key is not None:
            self._keys.add(dedupe_key)
        self._room = None if self._room is None else self._room - 1
        self.again.append((seq, attempt_no))
        return "queued"
