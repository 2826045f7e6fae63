"""Queues, and the workers that serve them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, optional, texts
from jobplane.core.errors import Invalid, UnknownQueue
from jobplane.core.model import NewWorker, Queue, Worker
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.batch import batch

_BACK: Final = 1000
_queue: Final = Reader(Queue, paused_at=instant)
_worker: Final = Reader(
    Worker,
    queues=texts,
    definitions=optional(texts),
    metadata=document,
    started_at=instant,
    last_seen_at=instant,
    live=bool,
)


def put_queues(db: Conn, moment: Moment, names: Sequence[str]) -> list[str]:
    for name in checks.texts("a queue's name", names):
        if not bounds.QUEUE.fullmatch(name):
            raise Invalid(bounds.QUEUE_RULE)
    return [row[0] for row in db.rows(verb("put_queues")["insert"], (moment.now, batch(names)))]


def pause_queues(db: Conn, moment: Moment, names: Sequence[str]) -> list[str]:
    named = batch(checks.texts("a queue's name", names))
    return [row[0] for row in db.rows(verb("pause_queues")["pause"], (moment.now, named))]


def resume_queues(db: Conn, names: Sequence[str]) -> list[str]:
    named = batch(checks.texts("a queue's name", names))
    return [row[0] for row in db.rows(verb("resume_queues")["resume"], (named,))]


def queues(db: Conn) -> list[Queue]:
    return [_queue(row) for row in db.rows(verb("list_queues")["list"], ())]


def want_work(db: Conn, queues: Sequence[str], seconds: int) -> dict[str, int]:
    bounds.whole("seconds", seconds)
    return dict(db.rows(verb("want_work")["find"], (batch(checks.texts("a queue's name", queues)),)))


def register_worker(db: Conn, moment: Moment, worker: NewWorker) -> None:
    queues = batch(checks.texts("a queue's name", worker.queues))
    keys = checks.texts_or_none("a definition's key", worker.definitions)
    values = (
        checks.text("worker_id", worker.worker_id, 1, 200),
        checks.text("hostname", worker.hostname),
        checks.whole_or_none("pid", worker.pid, -bounds.INT),
        checks.text("version", worker.version),
        queues,
        None if keys is None else batch(keys),
        bounds.whole("slots", worker.slots),
        encode_document(worker.metadata, "metadata"),
    )
    if unknown := db.rows(verb("register_worker")["unknown"], (queues,)):
        raise UnknownQueue(f"there is no queue {unknown[0][0]!r}: put_queues makes it")
    db.rows(verb("register_worker")["upsert"], (*values, moment.now, moment.now))
    for gate, key in db.rows(verb("register_worker")["held"], ()):
        if keys is None or key in keys:
            gates.release(db, gate, _BACK)


def see_worker(db: Conn, moment: Moment, worker_id: str, running_count: int) -> bool:
    sql = verb("see_worker")
    values = (moment.now, bounds.whole("running_count", running_count), checks.text("worker_id", worker_id))
    if not any(gates.crew(*row) for row in db.rows(sql["serves"], values[2:])):
        return False
    return bool(db.rows(sql["see"], values))


def deregister_worker(db: Conn, worker_id: str) -> bool:
    return bool(db.rows(verb("deregister_worker")["delete"], (checks.text("worker_id", worker_id),)))


def workers(db: Conn, moment: Moment, limit: int) -> list[Worker]:
    most = min(max(bounds.whole("limit", limit), 1), 1000)
    return [_worker(row) for row in db.rows(verb("list_workers")["list"], (moment.now - gates.LIVE, most))]
