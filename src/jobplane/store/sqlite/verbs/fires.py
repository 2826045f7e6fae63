"""Fires: what the scheduler decides about schedules that are due, and what people fire by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.actors import Actor
from jobplane.core.decoding import as_object, loads, readable
from jobplane.core.errors import Invalid
from jobplane.core.model import Document, Enqueued, NewJob
from jobplane.core.triggers import (
    Action,
    Decision,
    DueTrigger,
    DueTriggers,
    Fired,
    FiredByHand,
    Overlap,
    PrunedFires,
    Trigger,
)
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant, micros
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.enqueue import enqueue
from jobplane.store.sqlite.verbs.moves import cancel
from jobplane.store.sqlite.verbs.triggers import find_row, read_trigger, show, soon
from jobplane.store.verbs.jobs import Cancel, Enqueue
from jobplane.store.verbs.triggers import FindDueTriggers, FireByHand, FireTriggers, PruneFires, RefreshZones

_SQL: Final = statements.load_shared("triggers")
_LATE: Final = 60 * SECOND
_OLD: Final = 400 * 86_400 * SECOND
_RECORDED: Final = frozenset({"fired", "skipped", "waiting", "missed", "refused"})
_PLAIN: Final = {Action.MISS: "missed", Action.REFUSE: "refused", Action.MOVE: "moved", Action.DISABLE: "moved"}
_WHY: Final = "The next run of its schedule has come."
_MOST: Final = 1000


def find_due_triggers(db: Conn, moment: Moment, verb: FindDueTriggers) -> DueTriggers:
    sql = statements.load_verb("due_triggers")
    late = moment.now - _LATE
    limits = [min(max(bounds.whole("limit", limit), 0), 1000) for limit in (verb.limit, verb.late_limit)]
    parts = [(moment.now, late, limits[0]), (late, 0, limits[1])]
    ids = [row[0] for part in parts for row in db.rows(sql["due"], part)]
    following = db.rows(sql["next"], (moment.now,))
    due = [_due(db, row) for row in show(db, moment.now, ids)]
    return DueTriggers(instant(moment.now), (following[0][0] - moment.now) / SECOND if following else None, due)


def _due(db: Conn, row: tuple[Any, ...]) -> DueTrigger:
    trigger = read_trigger(row)
    slug, name, arg_schema, revision, is_limited, command, enabled_at, _ = row[-8:]
    failures = None
    if trigger.pause_after_failures is not None:
        values = (row[0], enabled_at, trigger.pause_after_failures)
        [(failures,)] = db.rows(statements.load_verb("due_triggers")["failures"], values)
    schema = readable(arg_schema, loads)
    return DueTrigger(trigger, slug, name, schema, revision, failures, bool(is_limited), _command(command))


def _command(text: object) -> Document | None:
    """The command of a definition; one that cannot be decoded is an empty one, which takes no payload."""
    return None if text is None else readable(text, lambda stored: as_object(loads(stored))) or {}


def fire_triggers(db: Conn, moment: Moment, verb: FireTriggers) -> list[Fired]:
    scheduler = Moment(moment.now, moment.dice, Actor("scheduler", verb.by, "scheduler"))
    return [_carry_out(db, scheduler, decision, verb.zone_version) for decision in verb.decisions]


def _carry_out(db: Conn, moment: Moment, decision: Decision, zone_version: str) -> Fired:
    asked = decision.trigger
    rows = show(db, moment.now, [str(asked.id)])
    if not rows or not _is_same(read_trigger(rows[0]), decision):
        return Fired(asked.id, "stale", None, None)
    trigger, number = read_trigger(rows[0]), rows[0][-1]
    outcome, reason, job_id = _outcome(db, moment, trigger, number, decision), decision.reason, None
    if outcome == "fired":
        made = _enqueue(db, moment, trigger, number, decision)
        job_id = made.job_id if made.outcome == "created" else None
        if job_id is None:
            outcome, reason = "refused", f"{made.error_code}: {made.error}"
    reason = "overlap" if outcome == "skipped" else reason and reason[:1000]
    if outcome in _RECORDED and decision.planned_at is not None:
        _record(db, moment, trigger, number, decision, (outcome, reason, job_id))
    _advance(db, moment, trigger, decision, (outcome, reason, job_id), zone_version)
    return Fired(asked.id, outcome, job_id, reason)


def _is_same(now: Trigger, decision: Decision) -> bool:
    """Whether nobody has changed or fired it since it was read."""
    read = decision.trigger
    is_next = now.is_enabled and (now.version, now.next_run_at) == (read.version, read.next_run_at)
    return is_next and (decision.action is not Action.RELEASE or now.waiting_at == decision.planned_at)


def _outcome(db: Conn, moment: Moment, trigger: Trigger, number: int, decision: Decision) -> str:
    if decision.planned_at is not None:
        made = db.rows(_SQL["made"], (str(trigger.id), micros(decision.planned_at)))
        if made and made[0][0] is not None:
            return "moved"
    if decision.action in _PLAIN:
        return _PLAIN[decision.action]
    if decision.planned_at is None or decision.payload is None:
        raise Invalid("A fire needs a planned time and a payload.")
    active = [UUID(row[0]) for row in db.rows(_SQL["active"], (number, str(trigger.id)))]
    if decision.action is Action.RELEASE:
        return "held" if active else "fired"
    return _judge_overlap(db, moment, trigger, active)


def _judge_overlap(db: Conn, moment: Moment, trigger: Trigger, active: list[UUID]) -> str:
    match Overlap(trigger.overlap):
        case Overlap.ALLOW:
            return "fired"
        case Overlap.SKIP:
            return "skipped" if active else "fired"
        case Overlap.QUEUE_ONE:
            if trigger.waiting_at is not None:
                return "skipped"
            return "waiting" if active else "fired"
        case Overlap.CANCEL_PREVIOUS:
            if active:
                cancel(db, moment, Cancel(trigger.tenant_id, active, _WHY))
            return "fired"


def _enqueue(db: Conn, moment: Moment, trigger: Trigger, number: int, decision: Decision) -> Enqueued:
    job = NewJob(
        definition=trigger.definition_key,
        payload=decision.payload or {},
        queue=trigger.queue,
        priority=trigger.priority,
        source="schedule",
        source_ref=str(trigger.id),
        max_attempts=trigger.max_attempts,
    )
    [made] = enqueue(db, moment, Enqueue(trigger.tenant_id, [job]))
    if made.outcome == "created" and decision.planned_at is not None:
        backoff = None if trigger.backoff is None else batch([trigger.backoff])[1:-1]
        values = (str(trigger.id), micros(decision.planned_at), *(backoff,) * 4, number, str(made.job_id))
        db.rows(_SQL["mark"], values)
    return made


Result = tuple[str, str | None, UUID | None]


def _record(db: Conn, moment: Moment, trigger: Trigger, number: int, decision: Decision, result: Result) -> None:
    outcome, reason, job_id = result
    planned = micros(decision.planned_at) if decision.planned_at is not None else 0
    job = None if job_id is None else str(job_id)
    values = (str(trigger.id), planned, number, "schedule", outcome, moment.now, decision.missed, reason, job)
    db.rows(_SQL["record"], values)


def _advance(db: Conn, moment: Moment, trigger: Trigger, decision: Decision, result: Result, zone_version: str) -> None:
    outcome, reason, job_id = result
    planned = None if decision.planned_at is None else micros(decision.planned_at)
    waiting = None if trigger.waiting_at is None else micros(trigger.waiting_at)
    if outcome == "waiting":
        waiting = planned
    elif decision.action is Action.DISABLE or (outcome != "held" and waiting == planned):
        waiting = None
    due = None if decision.due_at is None else micros(decision.due_at)
    due = due if waiting is None else soon(moment, due)
    is_on = decision.over is None or waiting is not None
    said = (trigger.last_outcome, trigger.last_reason) if outcome in ("moved", "held") else (outcome, reason)
    last = (
        trigger.last_run_at and micros(trigger.last_run_at),
        trigger.last_fired_at and micros(trigger.last_fired_at),
    )
    if job_id is not None:
        last = (planned, moment.now)
    job = job_id or trigger.last_job_id
    values = (
        *(None if decision.next_run_at is None else micros(decision.next_run_at), due, waiting),
        *(int(is_on), None if is_on else decision.over, zone_version),
        *(*last, None if job is None else str(job), *said),
        *(trigger.version + (not is_on), micros(trigger.updated_at) if is_on else moment.now, str(trigger.id)),
    )
    db.rows(statements.load_verb("fire")["update"], values)


def fire_by_hand(db: Conn, moment: Moment, verb: FireByHand) -> list[FiredByHand]:
    if verb.kind not in ("manual", "backfill") or not len(verb.planned) == len(verb.payloads) <= _MOST:
        raise Invalid(
            "A trigger is fired by hand for up to 1000 planned times, as manual or backfill, with a payload for each."
        )
    row = find_row(db, verb.tenant, verb.trigger_id, verb.version)
    trigger = read_trigger(show(db, moment.now, [row["trigger_id"]])[0])
    answers = [
        _fire_once(db, moment, trigger, row, verb.kind, Decision(trigger, Action.FIRE, planned, payload))
        for planned, payload in zip(verb.planned, verb.payloads, strict=True)
    ]
    facts: Document = {"label": trigger.label, "times": len(answers)}
    action = "fireTrigger" if verb.kind == "manual" else "backfillTrigger"
    audit(db, moment, action, row["tenant_no"], [row["trigger_id"]], facts=facts)
    return answers


def _fire_once(
    db: Conn, moment: Moment, trigger: Trigger, row: Mapping[str, Any], kind: str, decision: Decision
) -> FiredByHand:
    planned = checks.instant("planned_at", decision.planned_at)
    if decision.planned_at is None or planned is None:
        raise Invalid("A fire needs a planned time.")
    there = db.rows(_SQL["made"], (row["trigger_id"], planned))
    if there and there[0][0] is not None:
        return FiredByHand(decision.planned_at, "existing", UUID(there[0][0]), None)
    made = _enqueue(db, moment, trigger, row["tenant_no"], decision)
    is_made = made.outcome == "created"
    outcome, job_id = ("fired", made.job_id) if is_made else ("refused", None)
    reason = None if is_made else f"{made.error_code}: {made.error}"
    job = None if job_id is None else str(job_id)
    db.rows(_SQL["record"], (row["trigger_id"], planned, row["tenant_no"], kind, outcome, moment.now, 0, reason, job))
    return FiredByHand(decision.planned_at, outcome, job_id, reason)


def refresh_zones(db: Conn, moment: Moment, verb: RefreshZones) -> int:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    values = (moment.now, checks.text("zone_version", verb.zone_version), moment.now, most)
    return len(db.rows(statements.load_verb("refresh_zones")["refresh"], values))


def prune_fires(db: Conn, moment: Moment, verb: PruneFires) -> PrunedFires:
    sql = statements.load_verb("prune_fires")
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    rows = db.rows(sql["triggers"], ("" if verb.after is None else checks.uuid(verb.after[1]), most))
    removed = 0
    for _, trigger_id in rows:
        cut = db.rows(sql["cut"], (trigger_id,))
        old = max(cut[0][0] if cut else 0, moment.now - _OLD)
        gone = [row[0] for row in db.rows(sql["old"], (trigger_id, old))]
        removed += len(gone)
        if gone and not verb.dry_run:
            db.rows(sql["remove"], (trigger_id, batch(gone)))
    last = rows[-1] if len(rows) == most else None
    return PrunedFires(removed, None if last is None else (UUID(last[0]), UUID(last[1])))
