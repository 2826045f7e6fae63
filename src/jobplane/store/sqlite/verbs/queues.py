"""Queues: the lanes that workers serve."""

from __future__ import annotations

from typing import Any, Final

from jobplane.core import bounds
from jobplane.core.decoding import Reader
from jobplane.core.documents import documents
from jobplane.core.errors import Invalid, QueueInUse
from jobplane.core.model import Queue
from jobplane.core.paging import Page
from jobplane.store.base import Conn
from jobplane.store.sqlite import actors, checks, statements
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.nouns import Noun
from jobplane.store.verbs.engine import PutQueues
from jobplane.store.verbs.operator import DeleteQueues, GetQueues, ListQueues, PauseQueues, ResumeQueues

_NEEDS: Final = {
    "jobplane": "jobplane needs it.",
    "jobs": "it has waiting or running jobs. Cancel them, or wait until they have ended.",
    "definitions": "a definition names it. Give the definition another queue first.",
    "workers": "a live worker serves it. Stop the worker first.",
}


def _name(_: str, value: Any) -> str:
    if not bounds.QUEUE.fullmatch(checks.text("queue name", value)):
        raise Invalid(bounds.QUEUE_RULE)
    return value


def _description(name: str, value: Any) -> str:
    return checks.text(name, value, 0, bounds.DESCRIPTION)


_QUEUES: Final = Noun(
    Queue,
    "jobplane_queues",
    {"name": _name, "description": _description},
    page=statements.load_verb("list_queues")["page"],
    paused_at=instant,
)


_read: Final = Reader(Queue, paused_at=instant)


def put_queues(db: Conn, moment: Moment, verb: PutQueues) -> list[str]:
    sql, names = statements.load_verb("put_queues"), batch(document["name"] for document in documents(verb.documents))
    restored = [row[0] for row in db.rows(sql["restore"], (moment.now, names))]
    if restored:
        db.rows(sql["restored"], (names,))
    old = dict(db.rows(sql["described"], (names,)))
    made = restored + _QUEUES.put(db, moment, verb)
    new = dict(db.rows(sql["described"], (names,)))
    changed = [name for name in old if name not in made and new[name] != old[name]]
    if made or changed:  # a worker names queues that are there at its start: that is no change
        audit(db, moment, "putQueues", None, [*made, *changed], after=new, facts={"created": len(made)})
    return made


def list_queues(db: Conn, moment: Moment, verb: ListQueues) -> Page[Queue, str]:
    return _QUEUES.page(db, moment, verb)


def get_queues(db: Conn, _: Moment, verb: GetQueues) -> list[Queue]:
    named = batch(checks.texts("queue name", verb.names))
    return [_read(row) for row in db.rows(statements.load_verb("list_queues")["named"], (named,))]


def delete_queues(db: Conn, moment: Moment, verb: DeleteQueues) -> list[str]:
    sql, names = statements.load_verb("delete_queues"), batch(checks.texts("queue name", verb.ids))
    served = {name for worker in gates.live_workers(db, moment.now) for name in worker.queues}
    for name, used_by in db.rows(sql["used"], (names,)):
        _refuse(name, used_by or ("workers" if name in served else None))
    db.rows(sql["keep"], (names,))
    deleted = _QUEUES.delete(db, moment, verb)
    if deleted:
        audit(db, moment, "deleteQueue", None, deleted)
    return deleted


def _refuse(name: str, used_by: str | None) -> None:
    if used_by is not None:
        raise QueueInUse(f'Cannot delete queue "{name}": {_NEEDS[used_by]}', queue=name, used_by=used_by)


def pause_queues(db: Conn, moment: Moment, verb: PauseQueues) -> list[str]:
    sql, named = statements.load_verb("pause_queues"), batch(checks.texts("queue name", verb.names))
    reason, by = checks.reason(verb.reason), actors.name(moment.actor)
    done = [row[0] for row in db.rows(sql["pause"], (moment.now, by, reason, named, reason))]
    if done:
        audit(db, moment, "pauseQueue", None, done, facts={} if reason is None else {"reason": reason})
    return [row[0] for row in db.rows(sql["there"], (named,))]


def resume_queues(db: Conn, moment: Moment, verb: ResumeQueues) -> list[str]:
    sql, named = statements.load_verb("resume_queues"), batch(checks.texts("queue name", verb.names))
    done = [row[0] for row in db.rows(sql["resume"], (named,))]
    if done:
        audit(db, moment, "resumeQueue", None, done)
    return [row[0] for row in db.rows(sql["there"], (named,))]
